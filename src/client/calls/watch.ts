import { type CallOptions, checkOptions } from "../options.js";
import type { ListQuery } from "../parameters.js";
import type { Send } from "../transport/transport.js";
import { rowEvents } from "./rowEvents.js";

/** A row was created, or changed. A row that came into the filter is `changed` too. */
export interface WrittenRow<Row = object, Id = unknown> {
  readonly kind: "created" | "changed";
  readonly id: Id;
  /** The version of the row. */
  readonly version: string;
  readonly row: Row;
  /** Where `after` goes on behind this event, if the service said it. */
  readonly position?: string;
}

/** A row was removed. */
export interface RemovedRow<Id = unknown> {
  readonly kind: "removed";
  readonly id: Id;
  readonly version: string;
  readonly position?: string;
}

/** A row still exists, but does not match the filter any more, or the caller may not read it any more. */
export interface LeftRow<Id = unknown> {
  readonly kind: "left";
  readonly id: Id;
  readonly position?: string;
}

/** From `ready` on no event is missing: a list that is read after it is completed by the events. After `reset` what is known of the rows may be out of date until a list is read after the next `ready`. */
export interface StreamState {
  readonly kind: "ready" | "reset";
  readonly position?: string;
}

/** What `watch` yields. */
export type RowEvent<Row = object, Id = unknown> = StreamState | WrittenRow<Row, Id> | RemovedRow<Id> | LeftRow<Id>;

/** Which rows are watched, and from which position on. */
export interface WatchQuery extends Pick<ListQuery, "where" | "fields" | "include">, CallOptions {
  readonly after?: string | undefined;
}

/**
 * The events of `watch`.
 *
 * @param left aborts when the consumer leaves, which is no error
 */
export async function* watchRows(send: Send, collection: string, { after, ...given }: WatchQuery, left: AbortSignal): AsyncGenerator<RowEvent> {
  const operation = `${collection}.watch`;
  checkOptions(operation, given, "where fields include ");
  const { where, fields, include, ...options } = given;
  const outer = options.signal ?? send.signal;
  const signal = AbortSignal.any(outer ? [left, outer] : [left]);
  try {
    for await (const events of rowEvents({ send, collection, operation, query: { where, fields, include }, options, signal, after })) yield* events;
  } catch (error) {
    if (!left.aborted) throw error;
  }
}
