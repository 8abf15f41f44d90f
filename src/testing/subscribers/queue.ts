import type { SubscriberStore, TaskOutcome } from "../../ground/storage/queue/subscribers.js";
import type { LeasedQueue } from "../queue/queue.js";
import { queueScenarios } from "../queue/scenarios.js";
import { failure, type SubscriberStage, subscribersOf, success } from "./stage.js";

const dead: TaskOutcome = { state: "dead", error: "no" };

/** The tasks of a new subscriber. */
async function taskQueue(stage: SubscriberStage): Promise<LeasedQueue> {
  const name = await stage.register();
  let ended = 0;
  const over = (store: SubscriberStore): LeasedQueue => ({
    advance: stage.advance,
    async add(count = 1, tenant = "one") {
      const made = Array.from({ length: count }, () => stage.eventFor([name], { tenant }));
      await store.enqueue(made);
      return made.flatMap(({ tasks }) => tasks.map(({ id }) => id));
    },
    claim: async (change) =>
      (await stage.claim(name, change, store)).map(({ lease, attempt, interrupted, event }) => ({
        lease,
        attempts: attempt - 1,
        interrupted,
        input: event,
      })),
    end: (lease) => store.record(lease, ended++ % 2 === 0 ? success : dead),
    fail: (lease, delayMs) => store.record(lease, { ...failure, delayMs }),
    release: (lease, delayMs) => store.release(lease, delayMs),
    writes: {
      ...Object.fromEntries([success, dead, failure].map((outcome) => [`record of ${outcome.state}`, (lease) => store.record(lease, outcome)])),
      release: (lease) => store.release(lease, 0),
    },
    unclaim: async (claimId) => store.unclaim?.(name, claimId),
    sweep: (keepMs, max) => store.sweep(keepMs, max),
    async find(id) {
      const [task, event] = [await store.get(id), await store.event(id)];
      return task === undefined && event === undefined ? undefined : { task, event };
    },
    transaction: (run) => stage.transaction((tx) => run(over(subscribersOf(tx)))),
  });
  return over(stage.store);
}

/** What tasks have in common with other queues. */
export const taskQueueScenarios = queueScenarios(async (stage: SubscriberStage, sweeps) => {
  if (sweeps) while ((await stage.store.sweep(-1, 10_000)) > 0);
  return taskQueue(stage);
});
