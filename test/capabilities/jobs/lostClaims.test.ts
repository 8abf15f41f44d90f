// @long

import { webhooks } from "restwright/webhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { JobRunner } from "../../../src/capabilities/jobs/run/runner.js";
import { silentLogger } from "../../../src/engine/operation/logging/logger.js";
import { systemClock } from "../../../src/ground/clock/clock.js";
import { systemTimers } from "../../../src/ground/http/timers.js";
import { storeOf } from "../../adapters/stores/sql/records/jobQueues.js";
import { clientOf } from "../../tools/client.js";
import { needs } from "../../tools/engines.js";
import { type LostClaims, losingStorage } from "../../tools/storage/awayStore.js";
import { pause, stageOn, until } from "../subscribers/stage.js";
import { deliveriesOf, Receiver, register, stores } from "../webhooks/emissionStage.js";

/** Within which time work goes on after the store is back, in milliseconds. */
const mostMs = 3_000;
/** Claims that lose their answers, one after the other. */
const losses = 2;

/** How long it takes until something is true. */
async function msUntil(what: string, isTrue: () => unknown): Promise<number> {
  const begunMs = performance.now();
  await until(what, isTrue);
  return performance.now() - begunMs;
}

describe.each(stores)("work whose claim lost its answer, on $name", ({ engines, open }) => {
  test("is done by a runner of jobs within three seconds, once, and counts no attempt", needs(...engines), async () => {
    const lost: LostClaims = { left: losses };
    const storage = await open();
    await storage.migrate?.([]);
    const jobs = storeOf(losingStorage(storage, lost));
    const done: string[] = [];
    const run = async ({ id, attempts }: { readonly id: string; readonly attempts: number }) => {
      done.push(`${id} at ${attempts}`);
      return { status: "completed" } as const;
    };
    const parts = { timers: systemTimers, clock: systemClock, random: Math.random, logger: silentLogger, maxPerTenant: 5 };
    const runner = new JobRunner({ store: jobs, handlers: [{ type: "test", run }], ...parts });
    onTestFinished(() => runner.close({ graceMs: 0 }));
    const ids = ["a", "b", "c"];
    for (const id of ids) await jobs.create({ id, type: "test", tenant: undefined, owner: "ann", input: null });
    runner.start();
    await until("the answers are lost", () => lost.left === 0);
    expect(await msUntil("all jobs are done", () => done.length >= ids.length)).toBeLessThan(mostMs);
    await pause();
    expect(done.toSorted()).toEqual(ids.map((id) => `${id} at 0`));
  });

  test("is delivered to a webhook within three seconds, once, and counts no attempt", needs(...engines), async () => {
    const lost: LostClaims = { left: losses };
    const storage = await open();
    const receiver = new Receiver();
    const { service, order } = stageOn({ storage: losingStorage(storage, lost), more: [webhooks({ transport: receiver })], anonymous: "allow" });
    const webhook = await register({ send: clientOf(service) });
    await order();
    await until("the answers are lost", () => lost.left === 0);
    expect(await msUntil("the delivery is sent", () => receiver.received.length > 0)).toBeLessThan(mostMs);
    await until("it is recorded", async () => (await deliveriesOf(storage).counts(webhook)).succeeded === 1);
    expect(receiver.received.map(({ headers }) => headers["webhook-attempt"])).toEqual(["1"]);
    const [delivery] = await deliveriesOf(storage).list({ webhook, limit: 10 });
    expect(delivery?.attempts).toBe(1);
  });

  test("is handled by a subscriber within three seconds, once, and counts no attempt", needs(...engines), async () => {
    const lost: LostClaims = { left: losses };
    const { service, order } = stageOn({ storage: losingStorage(await open(), lost) });
    const attempts: number[] = [];
    service.on("order.created", { name: "receipts" }, (_event, { attempt }) => void attempts.push(attempt));
    await order();
    await until("the answers are lost", () => lost.left === 0);
    expect(await msUntil("the handler is called", () => attempts.length > 0)).toBeLessThan(mostMs);
    await until("it is recorded", async () => (await service.subscribers.counts("receipts")).succeeded === 1);
    expect(attempts).toEqual([1]);
  });
});
