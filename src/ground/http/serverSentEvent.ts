import type { ResponseHeaders } from "./message.js";

/** The media type of a stream of events. */
export const eventStreamType = "text/event-stream";

/** The headers of a stream of events. Without the last one nginx buffers it. */
export function eventStreamHeaders(): ResponseHeaders {
  return { "content-type": eventStreamType, "cache-control": "no-store", "x-accel-buffering": "no" };
}

/** An event for an `EventSource`. */
export interface ServerSentEvent {
  /** The event name that clients listen to. */
  readonly event: string;
  /** The client sends this as `Last-Event-ID` when it reconnects. */
  readonly id?: string | undefined;
  /** JSON on one line. */
  readonly data: string;
}

/**
 * An event on the wire.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function writeEvent({ event, id, data }: ServerSentEvent): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`;
}

/** A comment line, which listeners do not receive. It shows the client and proxies that the connection is alive. */
export const heartbeatLine = ": \n\n";

/** Tells a client how long to wait before it reconnects, in milliseconds. */
export function writeRetry(ms: number): string {
  return `retry: ${ms}\n\n`;
}

/** Sets the `Last-Event-ID` of a client without an event. */
export function writePosition(id: string): string {
  return `id: ${id}\n\n`;
}
