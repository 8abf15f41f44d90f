import { isDotNotation } from "../operation/eventType.js";
import type { RowEvent } from "../operation/rowEvents.js";
import { ConfigurationError } from "../problem/index.js";
import type { Row } from "../storage/collection.js";
import type { ResourceEvent } from "./options.js";

/**
 * The events of a collection with their defaults.
 *
 * @throws {ConfigurationError} for a name that is not in dot notation, or no write to cause it
 */
export function eventsOf(
  collection: string,
  events: Readonly<Record<string, ResourceEvent<never>>> | undefined,
  idName: string,
): ReadonlyMap<string, RowEvent> {
  return new Map(
    Object.entries(events ?? {}).map(([type, event]) => {
      const where = `${collection}: the event "${type}"`;
      if (!isDotNotation(type)) throw new ConfigurationError(`${where} must be named in dot notation, as "order.created".`);
      const on = new Set(typeof event.on === "string" ? [event.on] : event.on);
      if (on.size === 0) throw new ConfigurationError(`${where} says of no write that it causes it.`);
      const { when, data } = event as ResourceEvent<Row>;
      return [type, { on, when: when ?? (() => true), data: data ?? ((row) => ({ [idName]: row[idName] })) }];
    }),
  );
}
