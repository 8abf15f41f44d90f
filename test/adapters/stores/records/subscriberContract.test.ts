// @slow

import { memoryStorage } from "restwright/memory";
import { FakeClock, subscriberContract } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { SubscriberStore } from "../../../../src/ground/storage/queue/subscribers.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";

type Breaking = (sound: SubscriberStore) => Partial<SubscriberStore>;

/** Stores that break one promise each, and the check that has to notice. */
const defects: Readonly<Record<string, { readonly noticedBy: string; readonly breaking: Breaking }>> = {
  "a list of active subscribers that never changes": {
    noticedBy: "the generation changes with the active subscribers and their patterns",
    breaking: ({ active }) => ({ active: async (known) => (known === undefined ? active() : undefined) }),
  },
  "a list of active subscribers that is read each time": {
    noticedBy: "the generation changes with the active subscribers and their patterns",
    breaking: ({ active }) => ({ active: () => active() }),
  },
  "a registration that keeps the old patterns": {
    noticedBy: "the generation changes with the active subscribers and their patterns",
    breaking: ({ register, subscribers, touch }) => ({
      register: async (given) => {
        const known = new Set((await subscribers()).map(({ name }) => name));
        await register(given.filter(({ name }) => !known.has(name)));
        await touch(given.map(({ name }) => name));
      },
    }),
  },
  "a touch that does nothing": {
    noticedBy: "one that no process has is retired",
    breaking: () => ({ touch: async () => {} }),
  },
  "a retirement of all": {
    noticedBy: "one that no process has is retired",
    breaking: ({ retire }) => ({ retire: () => retire(0) }),
  },
  "a claim for all names": {
    noticedBy: "a claim takes tasks of the named subscriber only, and each once",
    breaking: ({ claim, subscribers }) => ({
      claim: async (request) => (await Promise.all((await subscribers()).map(({ name }) => claim({ ...request, name })))).flat(),
    }),
  },
  "a claim that takes more than it may": {
    noticedBy: "work of one tenant is claimed by age, at most the requested number",
    breaking: ({ claim }) => ({ claim: (request) => claim({ ...request, max: request.max + 1 }) }),
  },
  ...Object.fromEntries(
    ["claims that go on after the last tenant give each tenant a turn", "a tenant that is gone, comes last or has no name"].map((noticedBy) => [
      `a claim that always begins with the same tenant: ${noticedBy}`,
      {
        noticedBy,
        breaking: ({ claim }: SubscriberStore) => ({
          claim: (request: Parameters<SubscriberStore["claim"]>[0]) => claim({ ...request, after: undefined }),
        }),
      },
    ]),
  ),
  "a claim that takes all of one tenant": {
    noticedBy: "10,000 tasks of one tenant do not delay those of another",
    breaking: ({ enqueue }) => ({ enqueue: (events) => enqueue(events.map((event) => ({ ...event, tenant: "one" }))) }),
  },
  "leases that never end": {
    noticedBy: "each claim after an expired lease has a higher fence",
    breaking: ({ claim }) => ({ claim: (request) => claim({ ...request, leaseMs: 600_000 }) }),
  },
  "a release that counts an attempt": {
    noticedBy: "released work is due after its delay, and no attempt is counted",
    breaking: ({ record }) => ({ release: (lease, delayMs) => record(lease, { state: "pending", delayMs, error: "" }) }),
  },
  "a record that asks for no lease": {
    noticedBy: "all writes with a lease that another worker took over are refused",
    breaking: ({ record }) => ({ record: async (lease, outcome) => (await record(lease, outcome)) || true }),
  },
  "a delay that is not kept": {
    noticedBy: "a task that failed is claimed again when it is due",
    breaking: ({ record }) => ({ record: (lease, outcome) => record(lease, outcome.state === "pending" ? { ...outcome, delayMs: 0 } : outcome) }),
  },
  "a recovery of all leases": {
    noticedBy: "the leases of this process survive a recovery of dead ones",
    breaking: ({ list, record }) => ({
      recover: async () => {
        for (const { id } of await list({ states: ["running"], limit: 10 }))
          await record({ id, fence: 1 }, { state: "pending", delayMs: 0, error: "" });
        return 0;
      },
    }),
  },
  "a wait that counts other subscribers": {
    noticedBy: "dueInMs tells when a claim can succeed",
    breaking: ({ dueInMs, subscribers }) => ({ dueInMs: async () => dueInMs((await subscribers()).map(({ name }) => name)) }),
  },
  "events that lose their trace": {
    noticedBy: "an event goes to each of its subscribers with an unchanged body",
    breaking: ({ enqueue }) => ({ enqueue: (events) => enqueue(events.map(({ trace: _lost, ...event }) => event)) }),
  },
  "a log without the filter by tenant": {
    noticedBy: "the log is listed newest first, by all filters together and each alone",
    breaking: ({ list }) => ({ list: ({ tenant: _none, ...query }) => list(query) }),
  },
  "a log that begins again on each page": {
    noticedBy: "the log is listed newest first, by all filters together and each alone",
    breaking: ({ list }) => {
      let pages = 0;
      return { list: ({ after, ...query }) => list({ ...query, after: pages++ % 50 === 49 ? undefined : after }) };
    },
  },
  "a replay of what still waits": {
    noticedBy: "tasks that are pending or running are not replayed",
    breaking: ({ replay, get }) => ({
      replay: async (ids) => (await replay(ids)) + (await Promise.all(ids.map((id) => get(id)))).filter((task) => task?.state === "pending").length,
    }),
  },
  "a sweep that removes too much": {
    noticedBy: "a sweep removes all of the work that ended long enough ago, and nothing else",
    breaking: ({ sweep }) => ({ sweep: (_keepMs, max) => sweep(0, max) }),
  },
  "counts that are zero": {
    noticedBy: "tasks are counted by state",
    breaking: () => ({ counts: async () => ({ pending: 0, running: 0, succeeded: 0, dead: 0, canceled: 0 }) }),
  },
};

function storeOf({ subscribers }: Storage): SubscriberStore {
  return subscribers ?? expect.fail("no subscribers");
}

function contractOf(breaking: Breaking = () => ({})) {
  return subscriberContract({
    open: async () => {
      const clock = new FakeClock();
      const storage = memoryStorage({ clock });
      const sound = storeOf(storage);
      return { storage: { ...storage, subscribers: { ...sound, ...breaking(sound) } }, advance: (ms: number) => clock.advance(ms) };
    },
  });
}

describe("the contract of stores of subscribers", () => {
  test.each(Object.entries(defects))("notices %s", async (_name, { noticedBy, breaking }) => {
    const [sound, broken] = [await contractOf(), await contractOf(breaking)];
    const position = broken.findIndex(({ name }) => name.includes(noticedBy));
    await expect(sound[position]?.run()).resolves.toBeUndefined();
    await expect(broken[position]?.run()).rejects.toThrow();
  });

  test("notices tasks that do not take part in the transaction", async () => {
    const open = async () => {
      const storage = memoryStorage();
      const { transaction } = storage;
      const own = { subscribers: storeOf(memoryStorage()) };
      const apart: Storage["transaction"] = (run, options) => {
        if (transaction === undefined) throw new Error("The memory store has transactions.");
        return transaction((tx) => run({ ...tx, ...own }), options);
      };
      return { storage: { ...storage, ...own, transaction: apart } };
    };
    const cases = await subscriberContract({ open });
    for (const name of [
      "an event that is rolled back",
      "claims, releases, ends and sweeps that are rolled back",
      "replays that are rolled back",
      "with its rows or not at all",
    ]) {
      await expect(cases.find((one) => one.name.includes(name))?.run(), name).rejects.toThrow();
    }
  });

  test("skips what a store does not have, and says why", async () => {
    const { transaction: _none, ...storage } = memoryStorage();
    const cases = await subscriberContract({ open: async () => ({ storage }) });
    expect(new Set(cases.map(({ skip }) => skip))).toEqual(new Set([undefined, "memory has no transaction()"]));
  });

  test("refuses a storage without the store by name", async () => {
    const { subscribers: _none, ...rest } = memoryStorage();
    await expect(subscriberContract({ open: async () => ({ storage: rest }) })).rejects.toThrow("memory has no store of subscribers");
  });

  test("gives each check a name of its own", async () => {
    const names = (await contractOf()).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(45);
    expect(new Set(names).size).toBe(names.length);
  });
});
