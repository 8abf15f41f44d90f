import type { HttpRequest, HttpResponse } from "../../../ground/http/message.js";
import type { Offer, Offers } from "../offers.js";

/** One attempt at work that runs outside of the request that caused it. */
export interface ObservedWork {
  readonly kind: "job" | "delivery" | "subscriber";
  /** The type of the job, or that of the event: `import`, `order.created`. */
  readonly type: string;
  /** Of the job, of the delivery or of the task of a subscriber. */
  readonly id: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** What `trace()` returned when the work was created. */
  readonly trace: string | undefined;
}

/** How an attempt ended. */
export interface WorkEnd {
  /** A job: `completed`, `failed`, `canceled`, `retried`, `released`; a delivery or a task: `succeeded`, `retried`, `dead`, `released`; all: `lost`, `unrecorded`. */
  readonly outcome: string;
  /** What was thrown, if anything was. */
  readonly error?: unknown;
}

/** Observes work and requests that a service causes itself, for traces. Its functions run what they are given exactly once, and fail only as that does. */
export interface WorkObserver {
  /** The position in the current trace, to be stored with new work; `undefined` outside of a trace. */
  trace(): string | undefined;
  /** Runs an attempt. */
  work(work: ObservedWork, run: () => Promise<WorkEnd>): Promise<WorkEnd>;
  /** Runs an operation of a batch. */
  operation(request: HttpRequest, run: () => Promise<HttpResponse>): Promise<HttpResponse>;
  /**
   * Sends a request to another service.
   *
   * @param send receives headers that continue the trace there
   */
  send<R extends SendEnd>(url: URL, send: (headers: Readonly<Record<string, string>>) => Promise<R>): Promise<R>;
}

/** How a request to another service ended: with a status, or with an error. */
export interface SendEnd {
  readonly status?: number | undefined;
  readonly errorCode?: string | undefined;
}

/** What the capability `openTelemetry()` offers to others. */
const offered: Offer<WorkObserver> = { name: "openTelemetry" };

/** Returns the observer of a service; `undefined` if nothing observes it. */
export function observerOf({ offers }: { readonly offers: Offers }): WorkObserver | undefined {
  return offers.get(offered);
}
