import type { Host } from "../../engine/capability/host.js";
import { yieldToEventLoop } from "../../ground/http/yieldToEventLoop.js";
import { listOf, oneOf, optionsCheck, strict, text, texts, whole } from "../../ground/options/index.js";
import { endedTaskStates, type SubscriberStore, taskStates } from "../../ground/storage/queue/subscribers.js";
import type { ReplayQuery, SubscriberLog, SubscriberQuery } from "./api.js";
import { handledEvent } from "./handledEvent.js";

const maxLimit = 1_000;
const defaultLimit = 100;
/** Tasks that one call of the store replays. */
const replayedAtOnce = 500;

const checkQuery = /* @__PURE__ */ optionsCheck("subscribers.list", () =>
  strict<SubscriberQuery>({
    name: text(),
    states: listOf(oneOf(...taskStates), "an array of states"),
    type: text(),
    tenant: text(),
    after: whole(0),
    limit: whole(1, maxLimit),
  }),
);
const checkReplay = /* @__PURE__ */ optionsCheck("subscribers.replay", () =>
  strict<ReplayQuery>({ name: text(), states: listOf(oneOf(...endedTaskStates), "an array of states", 1) }, ["name"]),
);
const checkIds = /* @__PURE__ */ optionsCheck("subscribers.replay", () => texts());

/**
 * The log of subscribers.
 *
 * @param wake called after tasks were replayed
 */
export function subscriberLog(store: SubscriberStore, { started }: Pick<Host, "started">, wake: () => void): SubscriberLog {
  return {
    async list(query = {}) {
      checkQuery(query);
      await started();
      return store.list({ ...query, limit: query.limit ?? defaultLimit });
    },
    async get(id) {
      await started();
      const [task, event] = await Promise.all([store.get(id), store.event(id)]);
      return task && event && { ...task, event: handledEvent(event) };
    },
    async counts(name) {
      await started();
      return store.counts(name);
    },
    async replay(tasks) {
      const isList = Array.isArray(tasks);
      if (isList) checkIds(tasks);
      else checkReplay(tasks);
      await started();
      const count = await (isList ? replayIds(store, tasks) : replayMatching(store, tasks as ReplayQuery));
      if (count > 0) wake();
      return count;
    },
    async names() {
      await started();
      return store.subscribers();
    },
  };
}

async function replayIds(store: SubscriberStore, ids: readonly string[]): Promise<number> {
  let count = 0;
  for (let start = 0; start < ids.length; start += replayedAtOnce) {
    count += await store.replay(ids.slice(start, start + replayedAtOnce));
    await yieldToEventLoop();
  }
  return count;
}

/** From the newest to the oldest: tasks that end meanwhile are not replayed twice. */
async function replayMatching(store: SubscriberStore, { name, states = ["dead"] }: ReplayQuery): Promise<number> {
  let count = 0;
  let after: number | undefined;
  for (;;) {
    const tasks = await store.list({ name, states, after, limit: replayedAtOnce });
    after = tasks.at(-1)?.position;
    if (after === undefined) return count;
    count += await store.replay(tasks.map(({ id }) => id));
    await yieldToEventLoop();
  }
}
