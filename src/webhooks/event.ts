import { isEventType } from "../operation/eventType.js";
import { ConfigurationError, ProblemError } from "../problem/index.js";

/** What is delivered. */
export interface WebhookEvent {
  /** `evt_` and a ULID; the same on every attempt, so that a receiver can tell repetitions. */
  readonly id: string;
  /** Name in dot notation: `order.created`. */
  readonly type: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Version of the event's schema, a date. */
  readonly apiVersion: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What an event is made of. */
export interface EventInput {
  readonly ulid: string;
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly apiVersion: string;
  readonly data: object;
}

/** An event in its one serialised form, which is stored, signed and sent byte for byte. */
export interface SerializedEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly body: string;
  /** The whole data as JSON, also where the body holds a part of it: what filters look at. */
  readonly dataJson: string;
  readonly bytes: number;
  /** Whether only the identity of the resource is left of the data. */
  readonly isCut: boolean;
}

/** Most bytes of a body where nothing else is said. */
export const defaultEventBytes = 262_144;

/**
 * Serialises an event.
 *
 * @throws {ProblemError} EVENT_TOO_LARGE
 * @throws {ConfigurationError} for a type that is not in dot notation, or data that JSON has no object for
 */
export function serializeEvent(input: EventInput, limitBytes = defaultEventBytes): SerializedEvent {
  const event = serialize(input);
  if (event.bytes <= limitBytes) return event;
  const detail = `The event "${event.type}" has ${event.bytes} bytes; allowed: ${limitBytes}.`;
  throw new ProblemError("EVENT_TOO_LARGE", detail, { extensions: { maximum: limitBytes } });
}

/**
 * Serialises the event of a write to a resource. The write must not fail for the size of its event: of data that is too large only the identity is left,
 * with `truncated: true`.
 *
 * @param identity the id of the resource under the name of its field: `{ orderId: 7 }`
 * @throws {ProblemError} EVENT_TOO_LARGE where even the identity is too large
 */
export function serializeResourceEvent(
  input: EventInput,
  identity: Readonly<Record<string, unknown>>,
  limitBytes = defaultEventBytes,
): SerializedEvent {
  const event = serialize(input);
  if (event.bytes <= limitBytes) return event;
  const data = { ...identity, truncated: true };
  return { ...serializeEvent({ ...input, data }, limitBytes), dataJson: event.dataJson, isCut: true };
}

function serialize({ ulid, type, now, apiVersion, data }: EventInput): SerializedEvent {
  if (!isEventType(type)) throw new ConfigurationError(`"${type}" is no event type: letters, digits and "_" in segments with dots between them.`);
  const id = `evt_${ulid}`;
  const createdAt = new Date(now).toISOString();
  const json = dataJson(type, data);
  const body = `${JSON.stringify({ id, type, createdAt, apiVersion }).slice(0, -1)},"data":${json}}`;
  return { id, type, createdAt, body, dataJson: json, bytes: Buffer.byteLength(body), isCut: false };
}

/** Integers of 64 bits are text on the wire, as in answers. */
function writable(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** `JSON.stringify` writes halves of surrogate pairs as escapes, so that the text comes back from UTF-8 as it was. */
function dataJson(type: string, data: object): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(data, writable);
  } catch (cause) {
    throw new ConfigurationError(`The data of the event "${type}" cannot be written as JSON.`, { cause });
  }
  if (json?.startsWith("{")) return json;
  throw new ConfigurationError(`The data of the event "${type}" must be an object.`);
}
