import { bearer } from "restwright/auth";
import { describe, expect, test } from "vitest";
import { needs } from "../../../tools/engines.js";
import { heardBy, Receiver, register, shortly, stageOn, stores } from "../emissionStage.js";
import { order, post } from "../emissionWrites.js";

describe.each(stores)("who hears of it, on $name", ({ open, engines }) => {
  test("the body says what has happened, in one form for all who hear of it", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage, { baseUrl: "https://api.example.com" });
    const [one, other] = [await register(stage), await register(stage, { events: ["order.created"] })];
    await stage.send(post("/orders", order(12.5, { currency: "CHF" })));
    const [heard] = await heardBy(storage, one);
    expect(heard).toEqual({
      id: expect.stringMatching(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/),
      type: "order.created",
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      apiVersion: "2026-01-01",
      data: { orderId: 1, amount: 12.5, currency: "CHF" },
    });
    expect(await heardBy(storage, other)).toEqual([heard]);
  });

  test("only those hear of it whose patterns and filter fit", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage);
    const listen = async (body: object) => register(stage, body);
    const everything = await listen({});
    const all = await listen({ events: ["order.*"] });
    const created = await listen({ events: ["order.created", "report.ready"] });
    const dear = await listen({ events: ["order.*"], filter: { amount: { gte: 100 } } });
    const francs = await listen({ events: ["*.created"], filter: { currency: ["CHF", "USD"] } });
    const inactive = await listen({ active: false });
    await stage.send(post("/orders", order(1, { currency: "CHF" })));
    await stage.send(post("/orders", order(100)));
    await stage.send({ method: "PATCH", target: "/orders/2", body: { total: 99 } });
    await stage.send(post("/payments", { total: 1 }));
    const every = ["order.created 1", "order.created 2", "order.updated 2"];
    expect(await shortly(storage, everything)).toEqual([...every, "payment.made 1"]);
    expect(await shortly(storage, all)).toEqual(every);
    expect(await shortly(storage, created)).toEqual(every.slice(0, 2));
    expect(await shortly(storage, dear)).toEqual(["order.created 2"]);
    expect(await shortly(storage, francs)).toEqual(["order.created 1"]);
    expect(await shortly(storage, inactive)).toEqual([]);
  });

  test("who listens, stops or changes the patterns counts from the next write on", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage);
    await stage.send(post("/orders", order(1)));
    const webhook = await register(stage);
    await stage.send(post("/orders", order(2)));
    await stage.send({ method: "PATCH", target: `/webhooks/${webhook}`, body: { events: ["order.removed"] } });
    await stage.send(post("/orders", order(3)));
    await stage.send({ method: "DELETE", target: "/orders/1" });
    await stage.send({ method: "DELETE", target: `/webhooks/${webhook}` });
    await stage.send({ method: "DELETE", target: "/orders/2" });
    expect(await shortly(storage, webhook)).toEqual(["order.created 2", "order.removed 1"]);
  });

  test("no tenant hears of another", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage, { auth: [bearer((tenant) => ({ id: `somebody of ${tenant}`, tenant }))] });
    const as = (tenant: string) => ({ authorization: `Bearer ${tenant}` });
    const [north, south] = [await register(stage, {}, as("north")), await register(stage, {}, as("south"))];
    await stage.send(post("/orders", order(1), as("north")));
    await stage.send(post("/orders", order(2), as("south")));
    await stage.service.emit({ type: "report.ready", data: { id: "n" }, tenant: "north" });
    await stage.service.emit({ type: "report.ready", data: { id: "nobody's" } });
    const amounts = async (webhook: string) => (await heardBy(storage, webhook)).map(({ data }) => data["amount"] ?? data["id"]);
    expect(await amounts(north)).toEqual([1, "n"]);
    expect(await amounts(south)).toEqual([2]);
  });

  test("data that is too large is cut to the id; an event of the developer's own is refused", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage, { webhooks: { transport: new Receiver(), events: ["report.ready"], work: false, eventBytes: 1_024 } });
    const webhook = await register(stage);
    expect((await stage.send(post("/orders", order(1, { currency: "x".repeat(2_000) })))).status).toBe(201);
    expect(await heardBy(storage, webhook)).toMatchObject([{ type: "order.created", data: { id: 1, truncated: true } }]);
    const large = stage.service.emit({ type: "report.ready", data: { text: "x".repeat(2_000) } });
    await expect(large).rejects.toMatchObject({ code: "EVENT_TOO_LARGE" });
    expect(await heardBy(storage, webhook)).toHaveLength(1);
  });
});
