// @slow

import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { withScope } from "../../../engine/rules/withScope.js";
import type { FullServiceOptions } from "../../../tools/fullService.js";
import { endedJob, jobOf, readJob } from "../batchJobStage.js";
import { makeRows, usersAfter } from "../batchKinds.js";
import { openShop, outcomesOf, shopOrders, shopTables, shopUsers, strict } from "../batchShop.js";

/** A shop in which creating a slow row takes ten seconds, and so does reading one with `authorize`. */
function slowShop(options: Partial<FullServiceOptions> = {}) {
  const clock = new FakeClock();
  const created: string[] = [];
  const slow = defineResource("slow", {
    schema: z.object({ id: z.int(), name: z.string() }),
    generated: { id: "increment" },
    async create({ name }) {
      created.push(String(name));
      clock.advance(10_000);
    },
  });
  const storage = memoryStorage({ clock });
  const shop = openShop({ resources: [...shopTables, slow], storage, clock, timers: clock, ...options });
  return { ...shop, clock, storage, created };
}

const slowly = (name: string) => ({ name, method: "POST", url: "/slow", body: { name } });
const copy = (from: string) => ({ method: "POST", url: "/users", body: { name: { $result: `${from}.data.name` } } });

describe("at the deadline a best-effort batch", () => {
  test("answers 202, shows what is done so far, and goes on at the right place", async () => {
    const { batch, send, created } = slowShop();
    const operations = [slowly("a"), slowly("b"), slowly("c"), slowly("d"), copy("a"), copy("d"), { method: "GET", url: "/users/99" }];
    const answer = await batch(operations);
    expect([answer.status, answer.json.totalRows, answer.json.processedRows], answer.text).toEqual([202, 7, 3]);
    const job = await endedJob(send, jobOf(answer));
    expect([job.status, job.summary]).toEqual(["completed", { total: 7, succeeded: 6, failed: 1 }]);
    expect(job.results.map(({ index, status }) => [index, status])).toEqual(
      [201, 201, 201, 201, 201, 201, 404].map((status, index) => [index, status]),
    );
    expect(job.results.map(({ name }) => name)).toEqual(["a", "b", "c", "d", undefined, undefined, undefined]);
    expect((await usersAfter(send)).users).toEqual([
      ["a", 0],
      ["d", 0],
    ]);
    expect(created).toEqual(["a", "b", "c", "d"]);
  });

  test("shows the results so far while nobody goes on", async () => {
    const { batch, send } = slowShop({ jobs: { work: false } });
    const job = await readJob(send, jobOf(await batch([slowly("a"), slowly("b"), slowly("c"), slowly("d")])));
    expect([job.status, job.processedRows, job.results.map(({ index, name }) => [index, name])]).toEqual([
      "queued",
      3,
      [
        [0, "a"],
        [1, "b"],
        [2, "c"],
      ],
    ]);
    expect(job.summary).toEqual({ total: 3, succeeded: 3, failed: 0 });
  });

  test("follows failures from before the deadline", async () => {
    const { batch, send } = slowShop();
    const operations = [
      { name: "bad", method: "GET", url: "/users/99" },
      slowly("a"),
      slowly("b"),
      slowly("c"),
      { method: "GET", url: "/users/{bad.id}" },
    ];
    const job = await endedJob(send, jobOf(await batch(operations)));
    expect(job.results.map(({ status }) => status)).toEqual([404, 201, 201, 201, 424]);
    expect(job.summary).toEqual({ total: 5, succeeded: 3, failed: 2 });
  });

  test("under a key answers 202 again, with the same job", async () => {
    const { batch, send, created } = slowShop();
    const headers = { "idempotency-key": "0123456789abcdef" };
    const operations = [slowly("a"), slowly("b"), slowly("c"), slowly("d")];
    const first = await batch(operations, { headers });
    await endedJob(send, jobOf(first));
    const again = await batch(operations, { headers });
    expect([jobOf(again), again.text, again.headers["idempotent-replayed"]]).toEqual([jobOf(first), first.text, "true"]);
    expect(created).toEqual(["a", "b", "c", "d"]);
  });

  test("is over after wait=n seconds where the client waits for less", async () => {
    const { batch, send } = slowShop();
    const answer = await batch([slowly("a"), slowly("b"), slowly("c")], { headers: { prefer: "respond-async, wait=15" } });
    expect([answer.json.processedRows, answer.headers["preference-applied"]]).toEqual([2, "respond-async"]);
    expect((await endedJob(send, jobOf(answer))).results).toHaveLength(3);
  });

  test("waits no longer than the service does, whatever the client waits for", async () => {
    const { batch } = slowShop();
    const answer = await batch([slowly("a"), slowly("b"), slowly("c"), slowly("d")], { headers: { prefer: "respond-async, wait=600" } });
    expect(answer.json.processedRows).toBe(3);
  });

  test("without jobs leaves the rest: 503 NOT_PROCESSED in a 207", async () => {
    const { batch, created } = slowShop({ jobs: false });
    const answer = await batch([slowly("a"), slowly("b"), slowly("c"), { ...slowly("d"), name: "d" }, copy("a")]);
    expect([answer.status, outcomesOf(answer)]).toEqual([207, ["201", "201", "201", "503 NOT_PROCESSED", "503 NOT_PROCESSED"]]);
    expect(answer.json.results.map(({ index, name }: { index: number; name?: string }) => [index, name])).toEqual([
      [0, "a"],
      [1, "b"],
      [2, "c"],
      [3, "d"],
      [4, undefined],
    ]);
    expect(answer.json.summary).toEqual({ total: 5, succeeded: 3, failed: 2 });
    expect(created).toEqual(["a", "b", "c"]);
  });

  test("of a collection hands over slice by slice", async () => {
    const clock = new FakeClock();
    const authorize = () => {
      clock.advance(1);
      return true;
    };
    const options = { storage: memoryStorage({ clock }), clock, timers: clock, limits: { batchItems: 5_000, batchMs: 500 } };
    const { send, service } = openShop({ ...options, authorize });
    const body = { items: Array.from({ length: 2_500 }, (_, at) => ({ name: `n${at + 1}` })) };
    const answer = await send({ method: "POST", target: "/users/batch", body });
    expect([answer.status, answer.json.processedRows, answer.json.totalRows]).toEqual([202, 1_000, 2_500]);
    const job = await endedJob(send, jobOf(answer));
    expect(job.results.map(({ index, id }) => [index, id])).toEqual(Array.from({ length: 2_500 }, (_, at) => [at, at + 1]));
    expect(job.summary).toEqual({ total: 2_500, succeeded: 2_500, failed: 0 });
    await service.close();
  });

  test("by filter goes on behind the last row that was looked at, and passes over one that may be read only", async () => {
    const clock = new FakeClock();
    let isSlow = false;
    const authorize = () => {
      if (isSlow) clock.advance(1);
      return true;
    };
    const resources = [withScope(shopUsers, ({ action, when }) => action !== "update" || when === "after" || { id: { ne: 7 } }), shopOrders];
    const limits = { batchItems: 5_000, batchMs: 500 };
    const { send, service } = openShop({ resources, storage: memoryStorage({ clock }), clock, timers: clock, limits, authorize });
    await makeRows(send, 2_500);
    isSlow = true;
    const patch = { method: "POST", target: "/users/bulk-update?quantity=0", body: { quantity: 1 } };
    const changed = await endedJob(send, jobOf(await send(patch)));
    expect(changed.summary).toEqual({ total: 2_499, succeeded: 2_499, failed: 0 });
    expect(changed.results.map(({ index, id }) => [index, id])).toEqual(Array.from({ length: 2_499 }, (_, at) => [at, at < 6 ? at + 1 : at + 2]));
    await service.close();
  });
});

describe("at the deadline an atomic batch", () => {
  const setUp = async (options: Partial<FullServiceOptions> = {}) => {
    const clock = new FakeClock();
    let hours = true;
    const storage = memoryStorage({ clock });
    const authorize = () => {
      if (hours) clock.advance(10_000);
      return true;
    };
    const shop = openShop({ storage, clock, timers: clock, authorize, ...options });
    hours = false;
    await makeRows(shop.send);
    hours = true;
    const goOn = () => {
      hours = false;
      clock.advance(1_000);
    };
    return { ...shop, goOn };
  };
  const operations = Array.from({ length: 8 }, (_, at) => ({ method: "POST", url: "/users", body: { name: `m${at}` } }));

  test("rolls back and goes on as a job from the start", async () => {
    const { batch, send } = await setUp();
    const answer = await batch(operations, { headers: strict });
    expect([answer.status, answer.json.processedRows, answer.json.totalRows]).toEqual([202, 0, 8]);
    expect(answer.headers["preference-applied"]).toContain("handling=strict");
    const job = await endedJob(send, jobOf(answer));
    expect([job.status, job.results.map(({ index, status }) => [index, status])]).toEqual(["completed", operations.map((_, at) => [at, 201])]);
    expect((await usersAfter(send)).users).toHaveLength(11);
  });

  test("without jobs is 503 with Retry-After, and nothing is written", async () => {
    const { batch, send, goOn } = await setUp({ jobs: false });
    const headers = { ...strict, "idempotency-key": "0123456789abcdef" };
    const answer = await batch(operations, { headers });
    expect([answer.status, answer.json.code, answer.headers["retry-after"]]).toEqual([503, "NOT_PROCESSED", "5"]);
    goOn();
    expect((await usersAfter(send)).users).toHaveLength(3);
    expect((await batch(operations, { headers })).status).toBe(200);
    expect((await usersAfter(send)).users).toHaveLength(11);
  });
});
