import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Sent } from "../../../tools/client.js";
import { needs } from "../../../tools/engines.js";
import { heardBy, register, shortly, stageOn, stores } from "../emissionStage.js";
import { order, post, strict, two, writes } from "../emissionWrites.js";

const keyed: readonly (readonly [string, Sent, readonly string[]])[] = [
  ["POST", post("/orders", order(1)), ["order.created 3"]],
  ["PATCH", { method: "PATCH", target: "/orders/1", body: { total: 5 } }, ["order.updated 1"]],
  ["DELETE", { method: "DELETE", target: "/orders/1" }, ["order.removed 1"]],
  ["batch", post("/orders/batch", { items: [order(1), order(-1), order(2)] }), ["order.created 3", "order.created 4"]],
  ["atomic batch", post("/orders/batch", { items: [order(1), order(2)] }, strict), ["order.created 3", "order.created 4"]],
  ["create with an effect", post("/payments", { total: 7 }), ["payment.made 1"]],
];

describe.each(stores)("events of writes on $name", ({ open, engines }) => {
  test.each(writes)("$name", needs(...engines), async ({ before = [], requests, statuses, heard }) => {
    const storage = await open();
    const stage = stageOn(storage);
    for (const request of before) expect((await stage.send(request)).status).toBe(201);
    const webhook = await register(stage);
    const answers = [];
    for (const request of requests) answers.push(await stage.send(request));
    expect(
      answers.map(({ status }) => status),
      answers.map(({ text }) => text).join("\n"),
    ).toEqual(statuses);
    const told = await shortly(storage, webhook);
    // Items of one chunk commit together, in no order that anybody is promised.
    expect([...told].sort()).toEqual([...heard].sort());
    expect(new Set((await heardBy(storage, webhook)).map(({ id }) => id)).size).toBe(heard.length);
  });

  test.each(keyed)("%s under a key: repeating it tells nothing more", needs(...engines), async (_name, request, heard) => {
    const storage = await open();
    const stage = stageOn(storage);
    for (const sent of two) await stage.send(sent);
    const webhook = await register(stage);
    const headers = { ...request.headers, "idempotency-key": "0123456789abcdef" };
    const first = await stage.send({ ...request, headers });
    const second = await stage.send({ ...request, headers });
    expect([second.status, second.text, second.headers["idempotent-replayed"]]).toEqual([first.status, first.text, "true"]);
    expect([...(await shortly(storage, webhook))].sort()).toEqual(heard);
  });

  test("items of a batch commit by the hundred, so that their deliveries do not all commit at once", needs(...engines), async () => {
    const storage = await open();
    let transactions = 0;
    const counted: typeof storage = {
      ...storage,
      transaction: (run, options) => {
        transactions += 1;
        return storage.transaction?.(run, options) ?? Promise.reject(new Error("The storage has no transactions."));
      },
    };
    const stage = stageOn(counted);
    const webhook = await register(stage);
    transactions = 0;
    const answer = await stage.send(post("/orders/batch", { items: Array.from({ length: 250 }, (_, index) => order(index)) }));
    expect([answer.status, transactions]).toEqual([200, 3]);
    expect(await heardBy(storage, webhook)).toHaveLength(250);
  });

  test("a batch that goes on as a job tells of each item once", needs(...engines), async () => {
    const storage = await open();
    const stage = stageOn(storage, { jobs: { pollMs: 20 } });
    const webhook = await register(stage);
    const items = Array.from({ length: 300 }, (_, index) => order(index % 10 === 9 ? -1 : index));
    const answer = await stage.send(post("/orders/batch", { items }, { prefer: "respond-async" }));
    expect(answer.status).toBe(202);
    const target = new URL(String(answer.headers["location"]), "http://x.test").pathname;
    for (let tries = 0; (await stage.send({ target })).json.status !== "completed" && tries < 3_000; tries++) await sleep(10);
    const told = await shortly(storage, webhook);
    expect([told.length, new Set(told).size]).toEqual([270, 270]);
    await stage.service.close();
  });
});
