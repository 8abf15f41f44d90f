import { expect, test } from "vitest";
import { ResultGroups } from "../../../../src/capabilities/webhooks/delivery/resultGroups.js";
import { Retryable, Unavailable } from "../../../../src/ground/storage/errors.js";
import type { DeliveryLease, DeliveryOutcome, DeliveryStore } from "../../../../src/ground/storage/queue/deliveries.js";

const success: DeliveryOutcome = { next: { state: "succeeded" }, failures: "reset" };
const recorded = { state: "succeeded", consecutiveFailures: 0, disabled: undefined } as const;
const leaseOf = (id: string): DeliveryLease => ({ id, fence: 1 });
const soon = { timers: { setTimeout: later }, random: () => 0 };

function later(run: () => void) {
  const timer = setTimeout(run, 0);
  return { cancel: () => clearTimeout(timer) };
}

/** A store that notes the ids of each call; `fault` may throw for them. */
function noting(fault: (ids: readonly string[]) => void = () => {}) {
  const groups: string[][] = [];
  const store: Pick<DeliveryStore, "record" | "recordMany"> = {
    async record({ id }) {
      groups.push([id]);
      fault([id]);
      return id === "lost" ? undefined : recorded;
    },
    async recordMany(results) {
      const ids = results.map(({ lease }) => lease.id);
      groups.push(ids);
      await new Promise((resolve) => setTimeout(resolve, 5));
      fault(ids);
      return ids.map((id) => (id === "lost" ? undefined : recorded));
    },
  };
  return { store, groups };
}

test("results of one turn are one call, and those that arrive meanwhile are the next", async () => {
  const { store, groups } = noting();
  const results = new ResultGroups(store, soon);
  const first = ["a", "lost", "b"].map((id) => results.record(leaseOf(id), success));
  await new Promise((resolve) => setTimeout(resolve, 2));
  const second = ["c", "d"].map((id) => results.record(leaseOf(id), success));
  expect(await Promise.all(first)).toEqual([recorded, undefined, recorded]);
  await Promise.all(second);
  await results.record(leaseOf("e"), success);
  expect(groups).toEqual([["a", "lost", "b"], ["c", "d"], ["e"]]);
});

test("at most 100 results are one call", async () => {
  const { store, groups } = noting();
  const results = new ResultGroups(store, soon);
  await Promise.all(Array.from({ length: 230 }, (_, index) => results.record(leaseOf(String(index)), success)));
  expect(groups.map(({ length }) => length)).toEqual([100, 100, 30]);
});

test("a result that the store refuses fails alone", async () => {
  const { store } = noting((ids) => {
    if (ids.includes("bad")) throw new Error("refused");
  });
  const results = new ResultGroups(store, soon);
  const ended = await Promise.allSettled(["a", "bad", "b"].map((id) => results.record(leaseOf(id), success)));
  expect(ended).toEqual([
    { status: "fulfilled", value: recorded },
    { status: "rejected", reason: new Error("refused") },
    { status: "fulfilled", value: recorded },
  ]);
  await expect(results.record(leaseOf("bad"), success)).rejects.toThrow("refused");
  expect(await results.record(leaseOf("c"), success)).toEqual(recorded);
});

test("a conflict is retried for all of the group", async () => {
  let conflicts = 2;
  const { store, groups } = noting(() => {
    if (conflicts-- > 0) throw new Retryable("conflict");
  });
  const results = new ResultGroups(store, soon);
  expect(await Promise.all(["a", "b"].map((id) => results.record(leaseOf(id), success)))).toEqual([recorded, recorded]);
  expect(groups).toEqual([
    ["a", "b"],
    ["a", "b"],
    ["a", "b"],
  ]);
});

test("a store that has no such call gets the results one by one", async () => {
  const { store, groups } = noting();
  const results = new ResultGroups({ record: store.record }, soon);
  await Promise.all(["a", "b"].map((id) => results.record(leaseOf(id), success)));
  expect(groups).toEqual([["a"], ["b"]]);
});

test("results wait for a store that is away, together, unless the service closes", async () => {
  let isAway = true;
  let isClosing = false;
  const { store, groups } = noting(() => {
    if (isAway) throw new Unavailable("The store is away.");
  });
  const results = new ResultGroups(store, { ...soon, isOver: () => isClosing });
  const waiting = ["a", "b"].map((id) => results.record(leaseOf(id), success));
  await expect.poll(() => groups.length).toBeGreaterThan(2);
  isAway = false;
  expect(await Promise.all(waiting)).toEqual([recorded, recorded]);
  expect(new Set(groups.map(String))).toEqual(new Set(["a,b"]));
  isAway = true;
  isClosing = true;
  await expect(results.record(leaseOf("c"), success)).rejects.toThrow("away");
});
