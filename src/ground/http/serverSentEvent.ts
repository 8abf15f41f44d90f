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
