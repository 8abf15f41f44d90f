import type { Attributes, Context, Span, SpanOptions } from "@opentelemetry/api";
import { context, createContextKey, INVALID_SPAN_CONTEXT, SpanStatusCode, trace } from "./api.js";
import { exceptionOf } from "./exception.js";
import { quietly, type Telemetry } from "./telemetry.js";

/** What a span begins with. */
export interface RecordingOptions extends SpanOptions {
  readonly name: string;
  readonly parent: Context;
  /** Whether work that is created meanwhile links to this span: that of a request, or of an attempt at a job. */
  readonly isOrigin?: boolean;
}

const originKey = () => createContextKey("restwright origin");

/** The span that new work links to: that of the request or job, not of a store call within it. */
export function originSpan(active: Context): Span | undefined {
  return (active.getValue(originKey()) as Span | undefined) ?? trace.getSpan(active);
}

/** A span, and the context in which it is active. An SDK that throws changes nothing for what is observed. */
export class Recording {
  /** The context in which the span is active. */
  readonly context: Context;
  readonly #span: Span;
  readonly #telemetry: Telemetry;

  constructor(telemetry: Telemetry, { name, parent, isOrigin = false, ...options }: RecordingOptions) {
    this.#telemetry = telemetry;
    this.#span = quietly(() => telemetry.tracer.startSpan(name, options, parent)) ?? trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
    const within = trace.setSpan(parent, this.#span);
    this.context = isOrigin ? within.setValue(originKey(), this.#span) : within;
  }

  /** Runs a function with the span as the active one. */
  run<R>(fn: () => R): R {
    return context.with(this.context, fn);
  }

  set(attributes: Attributes): void {
    quietly(() => this.#span.setAttributes(attributes));
  }

  /**
   * Marks the span as failed.
   *
   * @param type of low cardinality: a status, a code or the name of an error
   * @param error recorded as an exception, without its message unless the developer wants it
   */
  fail(type: string, error?: unknown): void {
    quietly(() => {
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
      this.#span.setAttribute("error.type", type);
      if (error !== undefined) this.#span.recordException(exceptionOf(error, this.#telemetry.recordsMessages));
    });
  }

  end(): void {
    quietly(() => this.#span.end());
  }
}

/** Runs a function within a span that ends with it, and fails if it rejects. */
export async function recorded<R>(recording: Recording, run: () => Promise<R>): Promise<R> {
  try {
    return await recording.run(run);
  } catch (error) {
    recording.fail(errorType(error), error);
    throw error;
  } finally {
    recording.end();
  }
}

/** The code of a problem, otherwise the name of the error. */
export function errorType(error: unknown): string {
  const { code, name } = (typeof error === "object" && error !== null ? error : {}) as { readonly code?: unknown; readonly name?: unknown };
  if (typeof code === "string" && /^\w{1,64}$/.test(code)) return code;
  return typeof name === "string" && /^\w{1,64}$/.test(name) ? name : "_OTHER";
}
