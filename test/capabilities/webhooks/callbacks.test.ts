import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Retryable } from "../../../src/ground/storage/errors.js";
import { needs } from "../../tools/engines.js";
import { deliveriesOf, heardBy, orders, Receiver, register, shortly, stageOn, stores } from "./emissionStage.js";
import { order, post } from "./emissionWrites.js";
import { withStores } from "./faultyStorage.js";

const schema = z.object({ id: z.int(), total: z.number(), tags: z.array(z.string()).default([]) });
const generated = { id: "increment" } as const;

describe.each(stores)("what filters look at, on $name", ({ open, engines }) => {
  test("is the whole data of an event, though only the id of it is sent", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage, { webhooks: { transport: new Receiver(), work: false, eventBytes: 1_024 } });
    const dear = await register(stage, { filter: { amount: { gte: 100 } } });
    const other = await register(stage, { filter: { amount: { ne: 500 } } });
    await stage.send(post("/orders", order(500, { currency: "x".repeat(2_000) })));
    expect(await heardBy(storage, dear)).toMatchObject([{ data: { id: 1, truncated: true } }]);
    expect(await heardBy(storage, other)).toEqual([]);
  });
});

describe("the callbacks of an event", () => {
  const wide = defineResource("wide", { schema: z.object({ id: z.bigint(), total: z.number() }), events: { "wide.created": { on: "create" } } });

  test("may give integers of 64 bits: they are text", async () => {
    const stage = stageOn(memoryStorage(), { resources: [wide] });
    const webhook = await register(stage);
    expect((await stage.send(post("/wide", { id: "9007199254740993", total: 1 }))).status).toBe(201);
    expect(await heardBy(stage.storage, webhook)).toMatchObject([{ data: { id: "9007199254740993" } }]);
  });

  const promised = {
    when: { on: "create", when: (() => Promise.resolve(false)) as unknown as () => boolean },
    data: { on: "create", data: (() => Promise.resolve({ total: 1 })) as unknown as () => object as () => Record<string, unknown> },
  } as const;

  test.each(["when", "data"] as const)("answer at once: a promise of %s is the developer's mistake, and nothing is written", async (name) => {
    const told: unknown[] = [];
    const slow = defineResource("slow", { schema, generated, events: { "slow.created": promised[name] } });
    const stage = stageOn(memoryStorage(), { resources: [slow], onError: (error) => void told.push(error) });
    const webhook = await register(stage);
    expect((await stage.send(post("/slow", { total: 1 }))).status).toBe(500);
    expect(told).toMatchObject([{ name: "ConfigurationError", message: expect.stringContaining(`"${name}" must return a value`) }]);
    expect((await stage.send({ target: "/slow" })).json.data).toEqual([]);
    expect(await heardBy(stage.storage, webhook)).toEqual([]);
  });

  test("get the fields of the schema as its types say, and nothing of the store", async () => {
    const seen: Readonly<Record<string, unknown>>[] = [];
    const note = (row: Readonly<Record<string, unknown>> | undefined) => seen.push(row ?? {}) > 0;
    const dated = defineResource("dated", {
      schema: z.object({
        id: z.int(),
        total: z.number(),
        at: z.iso.datetime(),
        on: z.date(),
        note: z.string().optional(),
        code: z.string().nullable(),
      }),
      generated: { id: "increment", at: "createdAt" },
      events: {
        "dated.saved": { on: ["create", "update"], when: (row, before) => note(row) && note(before), data: (row) => row },
        "dated.removed": { on: "remove", data: (row) => row },
      },
    });
    const stage = stageOn(memoryStorage(), { resources: [dated] });
    const webhook = await register(stage);
    const on = "2026-01-02T03:04:05.000Z";
    const { at } = (await stage.send(post("/dated", { total: 1, on, code: null }))).json;
    await stage.send({ method: "PATCH", target: "/dated/1", body: { total: 2 } });
    await stage.send({ method: "DELETE", target: "/dated/1" });
    const row = { id: 1, total: 1, at, on: new Date(on), code: null };
    expect(seen).toEqual([row, {}, { ...row, total: 2 }, row]);
    expect(Object.keys(seen[0] ?? {})).toEqual(["id", "total", "at", "on", "code"]);
    const sent = { id: 1, at, on, code: null };
    expect((await heardBy(stage.storage, webhook)).map(({ data }) => data)).toEqual([
      { ...sent, total: 1 },
      { ...sent, total: 2 },
      { ...sent, total: 2 },
    ]);
  });

  test("cannot change what was written, or was there before", async () => {
    const results: boolean[] = [];
    const change = (row: Readonly<Record<string, unknown>> | undefined): boolean => {
      if (row !== undefined) results.push(Reflect.set(row, "total", 666), Reflect.set(row["tags"] as string[], 0, "changed"));
      return true;
    };
    const changing = defineResource("changing", {
      schema,
      generated,
      events: {
        "changing.created": { on: "create", data: (row) => ({ ok: change(row), total: row.total }) },
        "changing.updated": { on: "update", when: (row, before) => change(row) && change(before), data: ({ total }) => ({ total }) },
        "changing.fell": { on: "update", when: (row, before) => row.total < (before?.total ?? 0), data: ({ total }) => ({ total }) },
      },
    });
    const stage = stageOn(memoryStorage(), { resources: [changing] });
    const webhook = await register(stage);
    expect((await stage.send(post("/changing", { total: 1, tags: ["sold"] }))).json).toEqual({ id: 1, total: 1, tags: ["sold"] });
    const updated = await stage.send({ method: "PATCH", target: "/changing/1", body: { total: 2 } });
    expect(updated.json).toEqual({ id: 1, total: 2, tags: ["sold"] });
    expect((await stage.send({ target: "/changing/1" })).json).toEqual(updated.json);
    expect(results).toEqual(Array<boolean>(6).fill(false));
    const heard = await heardBy(stage.storage, webhook);
    expect(heard.map(({ type, data }) => [type, data["total"]])).toEqual([
      ["changing.created", 1],
      ["changing.updated", 2],
    ]);
  });
});

describe("service.emit", () => {
  test("tries again what lost against another", async () => {
    const storage = memoryStorage();
    let lost = 0;
    const faulty = withStores(storage, {
      deliveries: {
        enqueue: async (events) => {
          if (lost++ === 0) throw new Retryable("Lost against another.");
          return deliveriesOf(storage).enqueue(events);
        },
      },
    });
    const stage = stageOn(faulty, { resources: [orders] });
    const webhook = await register(stage);
    await stage.service.emit({ type: "report.ready", data: { id: 7 } });
    expect(await shortly(storage, webhook)).toEqual(["report.ready 7"]);
  });

  test("leaves it to a transaction of the developer's to begin again", async () => {
    const storage = memoryStorage();
    const stage = stageOn(storage);
    await register(stage);
    const enqueue = async () => Promise.reject(new Retryable("Lost against another."));
    const emitted = stage.service.emit({ type: "report.ready", data: {} }, withStores(storage, { deliveries: { enqueue } }));
    await expect(emitted).rejects.toBeInstanceOf(Retryable);
  });

  test("refuses the types that are the service's own", async () => {
    const stage = stageOn(memoryStorage());
    const webhook = await register(stage);
    for (const type of ["webhook.test", "webhook.disabled"]) {
      await expect(stage.service.emit({ type, data: {} })).rejects.toMatchObject({ name: "ConfigurationError" });
    }
    expect(await heardBy(stage.storage, webhook)).toEqual([]);
  });

  test("is refused once the service is closing", async () => {
    const stage = stageOn(memoryStorage());
    await stage.service.start();
    await stage.service.close();
    await expect(stage.service.emit({ type: "report.ready", data: {} })).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
  });
});
