import type { Link, Span } from "@opentelemetry/api";
import { isSpanContextValid } from "./api.js";

const pattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** A span as text, in the form of `traceparent`; `undefined` for one that belongs to no trace. @see W3C Trace Context §3.2 */
export function formatTrace(span: Span | undefined): string | undefined {
  const parts = span?.spanContext();
  if (parts === undefined || !isSpanContextValid(parts)) return undefined;
  return `00-${parts.traceId}-${parts.spanId}-${parts.traceFlags.toString(16).padStart(2, "0")}`;
}

/** The link to a span that was stored as text; none for a text of another form. */
export function linksTo(text: string | undefined): Link[] {
  const [, traceId, spanId, flags] = pattern.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? [{ context }] : [];
}
