/** An event as `EventSource` takes it. */
export interface ServerSentEvent {
  /** What listeners know it by. */
  readonly event: string;
  /** What the client names as `Last-Event-ID` when it comes again. */
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

/** A line that no listener hears of: it shows that the connection lives, to the client and to all who stand between. */
export const heartbeatLine = ": \n\n";

/** Tells a client how long to wait before it comes again, in milliseconds. */
export function writeRetry(ms: number): string {
  return `retry: ${ms}\n\n`;
}
