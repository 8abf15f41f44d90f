// @long

import { type Capability, defineResource, ProblemError } from "restwright";
import { batch } from "restwright/batch";
import { hooks, type TransactionTools } from "restwright/hooks";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import type { HandledEvent, HandlerCall } from "restwright/subscribers";
import { webhooks } from "restwright/webhooks";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { needs } from "../../tools/engines.js";
import { heardBy, Receiver, register, stores } from "../webhooks/emissionStage.js";
import { orderOf, orders, pause, stageOn, until } from "./stage.js";

describe.each(stores)("on $name", ({ engines, open }) => {
  test("a committed write calls the handler once, with its event", needs(...engines), async () => {
    const { service, order } = stageOn({ storage: await open() });
    const calls: [HandledEvent, HandlerCall][] = [];
    service.on("order.created", { name: "receipts" }, (event, call) => void calls.push([event, call]));
    const id = await order(7);
    await until("the handler is called", () => calls.length > 0);
    await pause();
    expect(calls).toHaveLength(1);
    const [event, { attempt, signal }] = calls[0] as [HandledEvent, HandlerCall];
    expect(event).toMatchObject({ type: "order.created", apiVersion: "2026-01-01", data: { orderId: id, total: 7 } });
    expect(event.id).toMatch(/^evt_/);
    expect([event.tenant, event.createdAt instanceof Date, attempt, signal.aborted]).toEqual([undefined, true, 1, false]);
    expect(Object.isFrozen(event) && Object.isFrozen(event.data)).toBe(true);
    await until("it is logged", async () => (await service.subscribers.counts("receipts")).succeeded === 1);
    const [task] = await service.subscribers.list({ name: "receipts" });
    expect(task).toMatchObject({ name: "receipts", event: event.id, type: "order.created", state: "succeeded", attempts: 1 });
    expect(await service.subscribers.get(task?.id ?? "")).toMatchObject({ event: { id: event.id, data: { orderId: id } } });
    expect(await service.subscribers.get("tsk_none")).toBeUndefined();
  });

  test("a write that is rolled back calls nothing", needs(...engines), async () => {
    const { service, order } = stageOn({ storage: await open() });
    const seen: unknown[] = [];
    service.on("*", { name: "all" }, (event) => void seen.push(orderOf(event)));
    await expect(
      service.asSystem().transaction(async (tx) => {
        await tx.of(orders).create({ total: 1 });
        throw new Error("The developer has changed his mind.");
      }),
    ).rejects.toThrow("changed his mind");
    const id = await order();
    await until("the other write is handled", () => seen.length > 0);
    await pause();
    expect(seen).toEqual([id]);
    expect(await service.subscribers.list()).toHaveLength(1);
  });

  test("every subscriber gets each event that its types match, and no other", needs(...engines), async () => {
    const { service } = stageOn({ storage: await open() });
    const seen: string[] = [];
    const see = (name: string) => (event: HandledEvent) => void seen.push(`${name} ${event.type}`);
    service.on("order.created", { name: "one" }, see("one"));
    service.on(["order.updated", "order.removed"], { name: "two" }, see("two"));
    service.on("order.*", { name: "pattern" }, see("pattern"));
    service.on("*", { name: "all" }, see("all"));
    const calls = service.asSystem().of(orders);
    const { id } = await calls.create({ total: 1 });
    await calls.update(id, { total: 2 });
    await calls.remove(id);
    await service.emit({ type: "report.ready", data: { pages: 3 } });
    await until("all are called", () => seen.length >= 10);
    await pause();
    expect(seen.toSorted()).toEqual(
      [
        ...["all order.created", "all order.removed", "all order.updated", "all report.ready", "one order.created"],
        ...["pattern order.created", "pattern order.removed", "pattern order.updated", "two order.removed", "two order.updated"],
      ].toSorted(),
    );
  });

  test("webhooks and subscribers get the same event, with one id", needs(...engines), async () => {
    const storage = await open();
    const { service, order } = stageOn({ storage, more: [webhooks({ transport: new Receiver(), work: false })], anonymous: "allow" });
    const seen: HandledEvent[] = [];
    service.on("*", { name: "all" }, (event) => void seen.push(event));
    const webhook = await register({ send: clientOf(service) });
    await order();
    const emitted = await service.emit({ type: "report.ready", data: { pages: 3 } });
    await until("both are handled", () => seen.length === 2);
    const heard = await heardBy(storage, webhook);
    expect(heard.map(({ id }) => id).toSorted()).toEqual(seen.map(({ id }) => id).toSorted());
    expect(seen.find(({ type }) => type === "report.ready")).toMatchObject({ id: emitted, data: { pages: 3 } });
  });

  test("a handler may call the service, and what that writes causes events too", needs(...engines), async () => {
    const { service, order } = stageOn({ storage: await open() });
    const updated: unknown[] = [];
    service.on("order.created", { name: "doubles" }, async (event) => {
      await service
        .asSystem()
        .of(orders)
        .update(event.data["orderId"] as number, { total: 2 * (event.data["total"] as number) });
    });
    service.on("order.updated", { name: "totals" }, ({ data }) => void updated.push(data["total"]));
    await order(4);
    await until("the update is handled", () => updated.length > 0);
    expect(updated).toEqual([8]);
  });
});

test("an event of another tenant has its tenant, and rows of all tenants are handled", async () => {
  const { service, order } = stageOn({ storage: memoryStorage() });
  const tenants: (string | undefined)[] = [];
  service.on("order.created", { name: "all" }, ({ tenant }) => void tenants.push(tenant));
  await order(1, "acme");
  await order(1, "other");
  await order(1);
  await until("all are handled", () => tenants.length === 3);
  expect(tenants.toSorted()).toEqual(["acme", "other", undefined]);
});

test("each row of a batch is an event, and all of them are handled", async () => {
  const { service } = stageOn({ storage: memoryStorage(), anonymous: "allow", more: [batch()] });
  const seen = new Set<unknown>();
  for (const name of ["one", "two"]) service.on("order.*", { name, concurrency: 50 }, (event) => void seen.add(`${name} ${orderOf(event)}`));
  const items = Array.from({ length: 1_000 }, () => ({ total: 1 }));
  const { status } = await clientOf(service)({
    method: "POST",
    target: "/orders/batch",
    body: { items },
    headers: { prefer: "handling=strict" },
  });
  expect(status).toBe(200);
  await until("all are handled", () => seen.size === 2_000);
});

test("an event that a hook emits is handled if and only if its transaction commits", async () => {
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), text: z.string() }),
    generated: { id: "increment" },
    hooks: {
      async afterWrite({ row, tx }) {
        await (tx as unknown as TransactionTools).emit({ type: "report.ready", data: { text: row.text } });
        if (row.text === "bad") throw new ProblemError("FORBIDDEN", "Not this one.");
      },
    },
  });
  const { service } = stageOn({ storage: sqliteStorage({ path: ":memory:" }), resources: [notes, orders], more: [hooks()] });
  const seen: unknown[] = [];
  service.on("report.ready", { name: "reports" }, async ({ data }) => {
    // The worker was woken by a transaction, and must not be taken for a part of it.
    await service.asSystem().of(orders).create({ total: 1 });
    seen.push(data["text"]);
  });
  const calls = service.asSystem().of(notes);
  await expect(calls.create({ text: "bad" })).rejects.toThrow("Not this one.");
  await calls.create({ text: "good" });
  await until("it is handled", () => seen.length > 0);
  await pause();
  expect(seen).toEqual(["good"]);
});

test("types that another capability declares can be subscribed to and emitted", async () => {
  const declares: Capability = {
    name: "declares",
    open: ({ environment }) => ({ check: () => environment.events?.addTypes?.(["order.cancelled"]) }),
  };
  const { service } = stageOn({ storage: memoryStorage(), more: [declares] });
  const seen: string[] = [];
  service.on("order.cancelled", { name: "cancels" }, ({ type }) => void seen.push(type));
  await service.emit({ type: "order.cancelled", data: {} });
  await until("it is handled", () => seen.length > 0);
});

test("on after the start registers at once", async () => {
  const { service, order } = stageOn({ storage: memoryStorage() });
  await service.start();
  await order();
  const seen: unknown[] = [];
  const { registered } = service.on("order.created", { name: "late" }, (event) => void seen.push(orderOf(event)));
  await registered;
  const second = await order();
  await until("the second is handled", () => seen.length > 0);
  expect(seen).toEqual([second]);
});

test("a process without the handler enqueues for its name, and one that starts later handles it", async () => {
  const storage = memoryStorage();
  const shared = { ...storage, close: async () => {} };
  const first = stageOn({ storage: shared });
  first.service.on("order.created", { name: "receipts" }, () => {});
  await first.service.start();
  await first.service.close();
  const second = stageOn({ storage: shared });
  const id = await second.order();
  await pause();
  expect(await second.service.subscribers.counts("receipts")).toMatchObject({ pending: 1, succeeded: 0 });
  const seen: unknown[] = [];
  const third = stageOn({ storage: shared });
  third.service.on("order.created", { name: "receipts" }, (event) => void seen.push(orderOf(event)));
  await third.service.start();
  await until("the third handles it", () => seen.length > 0);
  expect(seen).toEqual([id]);
});

test("a process that does not work leaves events to others", async () => {
  const shared = { ...memoryStorage(), close: async () => {} };
  const idle = stageOn({ storage: shared, subscribers: { work: false } });
  idle.service.on("order.created", { name: "receipts" }, () => expect.unreachable());
  const id = await idle.order();
  const seen: unknown[] = [];
  const worker = stageOn({ storage: shared });
  worker.service.on("order.created", { name: "receipts" }, (event) => void seen.push(orderOf(event)));
  await worker.service.start();
  await until("the worker handles it", () => seen.length > 0);
  expect(seen).toEqual([id]);
});

test("a rolling deploy may change the types of a name, and loses no event of either", { timeout: 20_000 }, async () => {
  const shared = { ...memoryStorage(), close: async () => {} };
  const seen: string[] = [];
  const see = (release: string) => (event: HandledEvent) => void seen.push(`${release} ${event.type} ${event.data["orderId"]}`);
  const old = stageOn({ storage: shared });
  old.service.on("order.created", { name: "audit" }, see("any"));
  const first = await old.order();
  const next = stageOn({ storage: shared });
  next.service.on("order.*", { name: "audit" }, see("any"));
  await next.service.start();
  const second = await old.order();
  await old.service.asSystem().of(orders).update(first, { total: 9 });
  await old.service.close();
  await next.service.asSystem().of(orders).remove(second);
  // An event that the old release claimed, but does not handle, is left alone for five seconds.
  await until("all are handled", () => seen.length >= 4, 15_000);
  expect(seen.toSorted()).toEqual(
    [`any order.created ${first}`, `any order.created ${second}`, `any order.updated ${first}`, `any order.removed ${second}`].toSorted(),
  );
});
