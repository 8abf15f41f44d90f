import { isEventType } from "../../engine/operation/eventType.js";
import { argumentError, reading, readMembers, requireNumber, requireText } from "../../ground/problem/argument.js";
import { ConfigurationError, ProblemError } from "../../ground/problem/index.js";

/** The body of a delivery. */
export interface WebhookEvent {
  /** `evt_` and a ULID; the same for every attempt, so that receivers can detect repetitions. */
  readonly id: string;
  /** Name in dot notation: `order.created`. */
  readonly type: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Version of the event's schema, a date. */
  readonly apiVersion: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The input of an event. */
export interface EventInput {
  readonly ulid: string;
  readonly type: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly apiVersion: string;
  readonly data: object;
}

/** An event in its only serialised form, which is stored, signed and sent byte for byte. */
export interface SerializedEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: string;
  readonly body: string;
  /** The complete data as JSON, which filters read, even if the body contains only a part of it. */
  readonly dataJson: string;
  readonly bytes: number;
  /** Whether the data contains only the id of the resource. */
  readonly isCut: boolean;
}

/** The default for the most bytes of a body. */
export const defaultEventBytes = 262_144;

/**
 * Serialises an event.
 *
 * @throws {ProblemError} EVENT_TOO_LARGE
 * @throws {TypeError} for an argument of a wrong type
 * @throws {ConfigurationError} for a type that is not in dot notation, or data that is not a JSON object
 */
export function serializeEvent(input: EventInput, limitBytes = defaultEventBytes): SerializedEvent {
  requireNumber("limitBytes", limitBytes, 1);
  const event = serialize(input);
  if (event.bytes <= limitBytes) return event;
  const detail = `The event "${event.type}" has ${event.bytes} bytes; allowed: ${limitBytes}.`;
  throw new ProblemError("EVENT_TOO_LARGE", detail, { extensions: { maximum: limitBytes } });
}

/**
 * Serialises the event of a write. A write must not fail because its event is too large: such an event contains only the id of the resource,
 * with `truncated: true`.
 *
 * @param identity the id of the resource under the name of its field: `{ orderId: 7 }`
 * @throws {ProblemError} EVENT_TOO_LARGE if even the id is too large
 */
export function serializeResourceEvent(
  input: EventInput,
  identity: Readonly<Record<string, unknown>>,
  limitBytes = defaultEventBytes,
): SerializedEvent {
  requireNumber("limitBytes", limitBytes, 1);
  if (typeof identity !== "object" || identity === null || Array.isArray(identity)) throw argumentError("identity", "an object", identity);
  const event = serialize(input);
  if (event.bytes <= limitBytes) return event;
  const data = { ...reading("identity", identity, () => ({ ...identity })), truncated: true };
  return { ...serializeEvent({ ...input, data }, limitBytes), dataJson: event.dataJson, isCut: true };
}

const latestDateMs = 8.64e15;

function serialize(input: EventInput): SerializedEvent {
  const { ulid, type, now, apiVersion, data } = readMembers("input", input, ["ulid", "type", "now", "apiVersion", "data"]);
  for (const [name, text] of Object.entries({ ulid, type, apiVersion })) requireText(name, text);
  requireNumber("now", now);
  if (Math.abs(now) > latestDateMs) throw argumentError("now", "milliseconds since the epoch that a date can hold", now);
  if (!isEventType(type)) throw new ConfigurationError(`"${type}" is not an event type: letters, digits and "_" in segments with dots between them.`);
  const id = `evt_${ulid}`;
  const createdAt = new Date(now).toISOString();
  const json = dataJson(type, data);
  const body = `${JSON.stringify({ id, type, createdAt, apiVersion }).slice(0, -1)},"data":${json}}`;
  return { id, type, createdAt, body, dataJson: json, bytes: Buffer.byteLength(body), isCut: false };
}

/** 64-bit integers are text, as in responses. */
function writable(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? value.toString() : value;
}

/** `JSON.stringify` escapes halves of surrogate pairs, so that UTF-8 does not change the text. */
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
