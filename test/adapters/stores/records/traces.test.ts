import { expect, test } from "vitest";
import type { NewWebhook } from "../../../../src/ground/storage/queue/webhooks.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import { describeInStorages } from "../../../tools/storage/describeInStorages.js";

const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const claim = { types: ["import"], leaseMs: 1_000, max: 10, maxPerTenant: 10 };
const newJob = (id: string, more: object = {}) => ({ id, type: "import", tenant: undefined, owner: "ada", input: {}, ...more });
const newEvent = (id: string, more: object = {}) => ({
  ...{ id, type: "order.created", tenant: undefined, createdAt: new Date(0), body: Buffer.from("{}") },
  ...{ deliveries: [{ id: `dlv_${id}`, webhook: "whk_1" }], ...more },
});

const webhook: NewWebhook = {
  ...{ id: "whk_1", tenant: undefined, owner: "ada", url: "https://a.example/", events: ["*"], secret: "sealed", secretHint: "…" },
};

function storesOf({ jobs, deliveries, webhooks }: Storage) {
  if (jobs?.depth === undefined || deliveries?.depth === undefined || webhooks === undefined) throw new Error("This storage counts no queues.");
  return { jobs, deliveries, webhooks };
}

describeInStorages("traces and depths of queues", async (open) => {
  test("a job is claimed with the trace it was created with, on each claim", async () => {
    const { jobs } = storesOf((await open()).storage);
    await jobs.create(newJob("a", { trace }));
    await jobs.create(newJob("b"));
    const claimed = await jobs.claim(claim);
    expect(claimed.map((job) => job.trace)).toEqual([trace, undefined]);
    for (const { lease } of claimed) await jobs.release(lease, { delayMs: 0, failed: true });
    expect((await jobs.claim(claim)).map((job) => job.trace)).toEqual([trace, undefined]);
  });

  test("a delivery is claimed with the trace of its event, and a replay of it too", async () => {
    const { deliveries, webhooks } = storesOf((await open()).storage);
    await webhooks.create(webhook);
    await deliveries.enqueue([newEvent("a", { trace }), newEvent("b")]);
    await deliveries.replay([{ id: "dlv_again", of: "dlv_a" }]);
    const claimed = await deliveries.claim({ leaseMs: 1_000, max: 10, maxPerWebhook: 10 });
    const traces = claimed.map(({ lease, event }) => [lease.id, event.trace]);
    expect(Object.fromEntries(traces)).toEqual({ dlv_a: trace, dlv_b: undefined, dlv_again: trace });
  });

  test("the depth counts what waits, not what runs or has ended, and no further than the limit", async () => {
    const { jobs, deliveries, webhooks } = storesOf((await open()).storage);
    expect([await jobs.depth?.(10), await deliveries.depth?.(10)]).toEqual([0, 0]);
    await webhooks.create(webhook);
    const names = ["a", "b", "c", "d"];
    for (const id of names) await jobs.create(newJob(id));
    await deliveries.enqueue(names.map((id) => newEvent(id)));
    expect([await jobs.depth?.(10), await deliveries.depth?.(10)]).toEqual([4, 4]);
    expect([await jobs.depth?.(3), await deliveries.depth?.(3)]).toEqual([3, 3]);
    const [first, second] = await jobs.claim({ ...claim, max: 2 });
    const [delivery] = await deliveries.claim({ leaseMs: 1_000, max: 1, maxPerWebhook: 10 });
    expect([await jobs.depth?.(10), await deliveries.depth?.(10)]).toEqual([2, 3]);
    if (first === undefined || second === undefined || delivery === undefined) throw new Error("Nothing was claimed.");
    await jobs.finish(first.lease, { status: "completed" });
    await jobs.release(second.lease, { delayMs: 60_000, failed: true });
    await deliveries.release(delivery.lease, 60_000);
    expect([await jobs.depth?.(10), await deliveries.depth?.(10)]).toEqual([3, 4]);
  });
});
