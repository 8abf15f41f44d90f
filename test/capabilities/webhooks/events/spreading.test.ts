import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { Spreading } from "../../../../src/capabilities/webhooks/delivery/spreading.js";
import { clientOf } from "../../../tools/client.js";
import { needs } from "../../../tools/engines.js";
import { eventually } from "../../../tools/eventually.js";
import { nextCall, sampleNote } from "../../../tools/extent.js";
import { deliveriesOf, heardBy, Receiver, register, type Stage, secrets, shortly, stageOn, stores } from "../emissionStage.js";
import { order, post } from "../emissionWrites.js";

const hooks = 30;
/** With so many webhooks the deliveries of the first six fit into the transaction. */
const rows = 12;
const atOnce = 200;
const heard = Array.from({ length: rows }, (_, index) => `order.created ${index + 1}`);

const importOrders = post("/orders/import", Buffer.from("total\n".concat(...Array.from({ length: rows }, (_, total) => `${total}\n`))), {
  "content-type": "text/csv",
});

async function registerMany(stage: Pick<Stage, "send">, count = hooks): Promise<readonly string[]> {
  const ids = [];
  for (let index = 0; index < count; index++) ids.push(await register(stage, { events: ["*"] }));
  return ids;
}

async function made(storage: Storage, webhooks: readonly string[]): Promise<number> {
  let sum = 0;
  for (const webhook of webhooks) sum += (await heardBy(storage, webhook)).length;
  return sum;
}

const logger = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const timers = {
  setTimeout(run: () => void, ms: number) {
    const timer = setTimeout(run, ms);
    return { cancel: () => clearTimeout(timer), unref: () => timer.unref() };
  },
};

/** What a process does until nothing waits, or until it dies. */
async function spreadUntil(storage: Storage, isOver: () => boolean): Promise<void> {
  const deliveries = deliveriesOf(storage);
  let isDone = false;
  const watched: typeof deliveries = {
    ...deliveries,
    async spread(request) {
      const step = await deliveries.spread?.(request);
      isDone = step === undefined;
      return step;
    },
  };
  const spreading = new Spreading({ deliveries: watched, timers, random: Math.random, logger, everyMs: () => 10, made: () => {} });
  spreading.start();
  await eventually(() => expect(isDone || isOver()).toBe(true));
  await spreading.close();
}

describe.each(stores)("many deliveries of one transaction, on $name", ({ open, engines }) => {
  test("are made after the commit, of each event once and in the order of the events", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage);
    const webhooks = await registerMany(stage);
    expect((await stage.send(importOrders)).status).toBe(200);
    expect(await made(storage, webhooks)).toBe(Math.floor(atOnce / hooks) * hooks);
    // Behind those that wait, though it has few itself.
    expect((await stage.send(post("/orders", order(1)))).status).toBe(201);
    expect(await deliveriesOf(storage).depth?.(10_000)).toBe((rows + 1) * hooks);
    expect(await made(storage, webhooks)).toBe(Math.floor(atOnce / hooks) * hooks);
    await spreadUntil(storage, () => false);
    for (const webhook of webhooks) expect(await shortly(storage, webhook)).toEqual([...heard, `order.created ${rows + 1}`]);
  });

  test("go to those who were there at the commit, and still are", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage);
    const [kept = "", removed = "", paused = ""] = await registerMany(stage);
    await stage.send(importOrders);
    const late = await register(stage, { events: ["*"] });
    expect((await stage.send({ method: "DELETE", target: `/webhooks/${removed}` })).status).toBe(204);
    for (const active of [false, true]) {
      const answer = await stage.send({ method: "PATCH", target: `/webhooks/${paused}`, body: { active } });
      expect(answer.status).toBe(200);
    }
    await stage.send(post("/orders", order(1)));
    await spreadUntil(storage, () => false);
    expect(await shortly(storage, kept)).toEqual([...heard, `order.created ${rows + 1}`]);
    expect(await shortly(storage, late)).toEqual([`order.created ${rows + 1}`]);
    const before = heard.slice(0, Math.floor(atOnce / hooks));
    expect([await shortly(storage, removed), await shortly(storage, paused)]).toEqual([before, [...before, `order.created ${rows + 1}`]]);
  });

  test("are counted over all the writes of the transaction", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage);
    const webhooks = await registerMany(stage);
    await storage.transaction?.(async (tx) => {
      for (let pages = 0; pages < rows; pages++) await stage.service.emit({ type: "report.ready", data: { id: pages } }, tx);
    });
    expect(await made(storage, webhooks)).toBe(Math.floor(atOnce / hooks) * hooks);
    await spreadUntil(storage, () => false);
    expect(await made(storage, webhooks)).toBe(rows * hooks);
  });

  test("are sent by a service that works", needs(...engines), async () => {
    const storage = await open();
    const webhooks = { transport: new Receiver(), events: ["report.ready"] };
    const stage = stageOn(storage, { webhooks });
    await stage.service.start();
    await registerMany(stage);
    expect((await stage.send(importOrders)).status).toBe(200);
    await eventually(() => expect(webhooks.transport.received.length).toBeGreaterThanOrEqual(rows * hooks));
    const ids = webhooks.transport.received.map(({ headers }) => `${headers["webhook-delivery"]} ${headers["webhook-attempt"]}`);
    expect([ids.length, new Set(ids).size]).toEqual([rows * hooks, rows * hooks]);
    await stage.service.close();
  });
});

const embedded: [string, () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

describe.each(embedded)("a process that dies at any of its calls, on %s", (_name, open) => {
  test.each(["before", "after"] as const)(
    `another one goes on, with each delivery once (the call is made, or not: %s)${sampleNote}`,
    { timeout: 120_000 },
    async (how) => {
      let calls = Number.POSITIVE_INFINITY;
      for (let k = nextCall(0); k <= calls; k = nextCall(k)) {
        const storage = open();
        const stage = stageOn(storage);
        const webhooks = await registerMany(stage);
        const dying = faultyStorage(storage, { dieAfter: k, how });
        await clientOf(stageOn(dying, { secrets }).service)(importOrders);
        if (!dying.dead) await spreadUntil(dying, () => dying.dead);
        if (!dying.dead) calls = 0;
        await spreadUntil(storage, () => false);
        const { data } = (await stage.send({ target: "/orders?perPage=100&sort=id" })).json;
        const expected = (data as readonly { id: number }[]).map(({ id }) => `order.created ${id}`);
        for (const webhook of webhooks) expect(await shortly(storage, webhook), `${how} ${k}`).toEqual(expected);
        await storage.close?.();
      }
    },
  );
});
