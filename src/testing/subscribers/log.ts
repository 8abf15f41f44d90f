import assert from "node:assert/strict";
import type { TaskQuery, TaskState } from "../../ground/storage/queue/subscribers.js";
import { failure, type SubscriberScenario, success } from "./stage.js";

const outcomes = [success, { state: "dead", error: "no" }, { ...failure, delayMs: 60_000 }, undefined] as const;

export const logScenarios: readonly SubscriberScenario[] = [
  {
    name: "the log is listed newest first, by all filters together and each alone",
    async run(stage) {
      const [first, second] = [await stage.register(), await stage.register()];
      const [typeA, typeB] = [stage.name(), stage.name()];
      const [tenant, none] = [stage.name(), undefined];
      const made: { id: string; name: string; type: string; tenant: string | undefined; state: TaskState }[] = [];
      for (const name of [first, second]) {
        for (const type of [typeA, typeB]) {
          for (const of of [tenant, none]) {
            for (const outcome of outcomes) {
              const [id = ""] = await stage.enqueue(name, 1, { type, tenant: of });
              const { lease } = await stage.claimOne(name);
              if (outcome !== undefined) await stage.store.record(lease, outcome);
              made.push({ id, name, type, tenant: of, state: outcome?.state ?? "running" });
            }
          }
        }
      }
      const newest = made.toReversed();
      const check = async (query: Omit<TaskQuery, "limit">) => {
        const wanted = newest.filter(
          (task) =>
            (query.name === undefined || task.name === query.name) &&
            (query.type === undefined || task.type === query.type) &&
            (query.tenant === undefined || (task.tenant ?? "") === query.tenant) &&
            (query.states === undefined || query.states.includes(task.state)),
        );
        const ids = new Set(made.map(({ id }) => id));
        const listed: string[] = [];
        for (let after: number | undefined; ; ) {
          const page = await stage.store.list({ ...query, after, limit: 3 });
          const own = page.filter(({ id }) => ids.has(id));
          listed.push(...own.map(({ id }) => id));
          after = page.at(-1)?.position;
          if (own.length < 3) break;
        }
        assert.deepStrictEqual(
          listed,
          wanted.map(({ id }) => id),
          JSON.stringify(query),
        );
      };
      for (const name of [undefined, first]) {
        for (const type of [undefined, typeB]) {
          for (const of of [undefined, tenant, ""]) {
            for (const states of [undefined, ["dead"], ["dead", "pending", "dead"], ["running", "succeeded"], ["canceled"], []] as const) {
              await check({ name, type, tenant: of, states });
            }
          }
        }
      }
      await check({ name: stage.name() });
    },
  },
  {
    name: "tasks are counted by state, for one subscriber",
    async run(stage) {
      const [name, other] = [await stage.register(), await stage.register()];
      await stage.enqueue(name, 6);
      await stage.enqueue(other, 2);
      const claimed = await stage.claim(name, { max: 4 });
      for (const [index, { lease }] of claimed.entries()) {
        const outcome = outcomes[index];
        if (outcome !== undefined) await stage.store.record(lease, outcome);
      }
      assert.deepStrictEqual(await stage.store.counts(name), { pending: 3, running: 1, succeeded: 1, dead: 1, canceled: 0 });
      assert.deepStrictEqual(await stage.store.counts(stage.name()), { pending: 0, running: 0, succeeded: 0, dead: 0, canceled: 0 });
    },
  },
];
