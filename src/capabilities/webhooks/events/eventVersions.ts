import { isObject } from "../../../ground/http/isObject.js";
import { callable, named, optionsCheck } from "../../../ground/options/index.js";
import { reading, requireText } from "../../../ground/problem/argument.js";
import { ConfigurationError } from "../../../ground/problem/index.js";
import type { StoredEvent } from "../../../ground/storage/queue/deliveries.js";
import type { WebhookEvent } from "../../events/event.js";

type Data = WebhookEvent["data"];

/** For each event type that a version changed: its data in that version, from its data in the next newer one. Must be synchronous and must not change what it gets. */
export type VersionTransforms = Readonly<Record<string, (data: Data) => Data>>;

/** The versions of events, made by {@link eventVersions}. */
export interface EventVersions {
  /** The newest first, in which events are emitted. */
  readonly all: readonly [string, ...string[]];
  /** The event types that an older version changes. */
  readonly types: readonly string[];
  /**
   * The body of an event for a webhook: that of its own version, if the event is newer.
   *
   * @throws {Error} what a transform throws, and ConfigurationError for data that is not an object
   */
  bodyFor(event: Pick<StoredEvent, "type" | "body">, version: string | undefined): Uint8Array;
}

const checkOlder = /* @__PURE__ */ optionsCheck("eventVersions", () => named(named(callable(), "an object with a function for each event type")));

const date = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The version of events, and older ones that webhooks may keep, for `apiVersion` of `webhooks()`.
 *
 * @param current version of the events that are emitted, a date
 * @param older what each older version differs in from the next newer one
 * @throws {ConfigurationError} for a version that is not a date or not older than the current one, and a transform that is not a function
 * @example
 * webhooks({
 *   transport,
 *   apiVersion: eventVersions("2026-11-01", { "2026-01-01": { "order.created": (data) => ({ ...data, amount: String(data.amount) }) } }),
 * });
 */
export function eventVersions(current: string, older: Readonly<Record<string, VersionTransforms>>): EventVersions {
  requireText("current", current);
  const changes = reading("older", older, () => Object.fromEntries(Object.entries(older).map(([version, types]) => [version, { ...types }])));
  checkOlder(changes);
  const versions = Object.keys(changes).toSorted().toReversed();
  for (const version of versions) {
    if (!date.test(version) || !date.test(current) || version >= current) {
      throw new ConfigurationError(`eventVersions: "${version}" must be a date before the current version, which is ${current}.`);
    }
  }
  return {
    all: [current, ...versions],
    types: [...new Set(Object.values(changes).flatMap((types) => Object.keys(types)))],
    bodyFor(event, version) {
      if (version === undefined || changes[version] === undefined) return event.body;
      const sent: WebhookEvent = JSON.parse(Buffer.from(event.body).toString());
      if (sent.apiVersion <= version) return event.body;
      const write = (data: Data) => Buffer.from(JSON.stringify({ ...sent, apiVersion: version, data }));
      if (isCut(sent.data)) return write(sent.data);
      let { data } = sent;
      for (const step of versions) {
        const transform = step < sent.apiVersion && step >= version ? changes[step]?.[event.type] : undefined;
        if (transform === undefined) continue;
        data = transform(data);
        if (!isObject(data) || data instanceof Promise)
          throw new ConfigurationError(`The transform of "${event.type}" to the version ${step} did not return an object.`);
      }
      return write(data);
    },
  };
}

/** The data of an event that was too large: an id and `truncated`, which a transform does not expect. */
function isCut(data: Data): boolean {
  return data["truncated"] === true && Object.keys(data).length === 2;
}
