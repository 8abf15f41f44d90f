import type { Attributes } from "@opentelemetry/api";
import type { Host } from "../../engine/capability/host.js";
import type { ObservedWork, SendEnd, WorkEnd, WorkObserver } from "../../engine/operation/work/observer.js";
import type { HttpRequest, HttpResponse } from "../../ground/http/message.js";
import { ProblemError } from "../../ground/problem/index.js";
import { context, propagation, ROOT_CONTEXT, SpanKind, whenLoaded } from "./api.js";
import type { Meters } from "./meters.js";
import { errorType, originSpan, Recording } from "./recording.js";
import { nameOf } from "./requestAttributes.js";
import { quietly, type Telemetry } from "./telemetry.js";
import { formatTrace, linksTo } from "./traceText.js";

/** What observing work needs. */
export interface WorkParts {
  readonly telemetry: Telemetry;
  readonly meters: Meters;
  readonly find: Host["find"];
}

/** Ends of attempts that are not failures. */
const fine: ReadonlySet<string> = new Set(["completed", "succeeded", "canceled", "released"]);

/** Observes jobs, deliveries, operations of batches and requests to webhooks. */
export function workObserver(parts: WorkParts): WorkObserver {
  return {
    trace: () => quietly(() => formatTrace(originSpan(context.active()))),
    work: (work, run) => whenLoaded(() => observeWork(parts, work, run), run),
    operation: (request, run) => observeOperation(parts, request, run),
    send: (url, send) => observeSend(parts, url, send),
  };
}

/** Each attempt is a trace of its own with a link: a job may run for hours, and many deliveries have one cause. */
async function observeWork({ telemetry, meters }: WorkParts, work: ObservedWork, run: () => Promise<WorkEnd>): Promise<WorkEnd> {
  const { kind, type, id, attempt, trace } = work;
  const recording = new Recording(telemetry, {
    name: `process ${type}`,
    kind: SpanKind.CONSUMER,
    // A worker runs in the context of the request that woke it, which need not be the cause.
    parent: ROOT_CONTEXT,
    links: linksTo(trace),
    isOrigin: true,
    attributes: {
      "messaging.system": "restwright",
      "messaging.operation.name": "process",
      "messaging.operation.type": "process",
      "messaging.destination.name": type,
      "messaging.message.id": id,
      "restwright.work.kind": kind,
      "restwright.work.attempt": attempt,
    },
  });
  const begun = performance.now();
  let end: WorkEnd = { outcome: "unrecorded" };
  try {
    end = await recording.run(run);
    return end;
  } finally {
    const { outcome, error } = end;
    recording.set({ "restwright.work.outcome": outcome });
    const failure = fine.has(outcome) ? undefined : error === undefined ? outcome : errorType(error);
    if (failure !== undefined) recording.fail(failure, error);
    recording.end();
    const attributes = { "restwright.work.type": type, "restwright.work.outcome": outcome };
    quietly(() => meters.work[kind].record((performance.now() - begun) / 1_000, attributes, recording.context));
  }
}

/** An operation of a batch: a span below that of the batch. A problem of the client is not a failure. */
async function observeOperation({ telemetry, find }: WorkParts, request: HttpRequest, run: () => Promise<HttpResponse>): Promise<HttpResponse> {
  const found = find(request.method, request.path)?.endpoint.route;
  const route = found && `${request.mount}${found}`;
  const recording = new Recording(telemetry, {
    name: nameOf(request, route),
    kind: SpanKind.INTERNAL,
    parent: context.active(),
    attributes: { "http.request.method": request.method, ...(route !== undefined && { "http.route": route }) },
  });
  try {
    const response = await recording.run(run);
    recording.set({ "http.response.status_code": response.status });
    return response;
  } catch (error) {
    const status = error instanceof ProblemError ? error.status : 500;
    recording.set({ "http.response.status_code": status });
    if (status >= 500) recording.fail(errorType(error), error);
    throw error;
  } finally {
    recording.end();
  }
}

/** The path and the query of a webhook's URL are often its only secret, so that spans have neither. */
async function observeSend<R extends SendEnd>(
  { telemetry, meters }: WorkParts,
  { protocol, hostname, port }: URL,
  send: (headers: Readonly<Record<string, string>>) => Promise<R>,
): Promise<R> {
  const server = {
    "server.address": hostname.replace(/^\[|\]$/g, ""),
    "server.port": port === "" ? (protocol === "https:" ? 443 : 80) : Number(port),
  };
  const recording = new Recording(telemetry, {
    name: "POST",
    kind: SpanKind.CLIENT,
    parent: context.active(),
    attributes: { "http.request.method": "POST", "url.full": `${protocol}//${hostname}${port && `:${port}`}/REDACTED`, ...server },
  });
  const headers: Record<string, string> = {};
  // Baggage is for services of one's own.
  quietly(() => telemetry.propagator.inject(propagation.deleteBaggage(recording.context), headers, headerSetter));
  const begun = performance.now();
  let attributes: Attributes = {};
  try {
    const end = await recording.run(() => send(headers));
    attributes = endAttributes(end);
    return end;
  } catch (error) {
    attributes = { "error.type": errorType(error) };
    throw error;
  } finally {
    recording.set(attributes);
    if (attributes["error.type"] !== undefined) recording.fail(String(attributes["error.type"]));
    recording.end();
    const known = { "http.request.method": "POST", ...attributes };
    quietly(() => meters.sent.record((performance.now() - begun) / 1_000, known, recording.context));
  }
}

/** For a client every status from 400 on is a failure. */
function endAttributes({ status, errorCode }: SendEnd): Attributes {
  const failure = errorCode ?? (status !== undefined && status >= 400 ? String(status) : undefined);
  return { ...(status !== undefined && { "http.response.status_code": status }), ...(failure !== undefined && { "error.type": failure }) };
}

const headerSetter = {
  set(headers: Record<string, string>, name: string, value: string): void {
    headers[name.toLowerCase()] = value;
  },
};
