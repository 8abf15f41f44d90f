// @long

import { defineResource, type Service, type Storage } from "restwright";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { storagePlaces } from "../../../tools/storage/batchStorages.js";
import { endedJob, jobOf, readJob } from "../batchJobStage.js";
import { makeRows } from "../batchKinds.js";
import { openShop, shopTables } from "../batchShop.js";

const later = { prefer: "respond-async" };
const jobs = { pollMs: 50 };

/** A resource whose creates tell of themselves, each after the last. */
function noted(tell: (name: string) => void) {
  return defineResource("noted", {
    schema: z.object({ id: z.int(), name: z.string() }),
    generated: { id: "increment" },
    async create({ name }) {
      tell(String(name));
    },
  });
}

/** A service that closes itself when it is told to, without waiting: the job under way is asked to stop. */
function closingShop(storage: Storage) {
  let closed: Promise<void> | undefined;
  let service: Service | undefined;
  const close = () => {
    closed ??= service?.close();
  };
  const created: string[] = [];
  let closeAt: string | undefined;
  let asked = 0;
  let closeAfter = Number.POSITIVE_INFINITY;
  const shop = openShop({
    resources: [
      ...shopTables,
      noted((name) => {
        created.push(name);
        if (name === closeAt) close();
      }),
    ],
    storage,
    jobs,
    authorize: () => {
      asked += 1;
      if (asked >= closeAfter) close();
      return true;
    },
  });
  service = shop.service;
  return {
    ...shop,
    created,
    closeAt: (name: string) => (closeAt = name),
    closeAfterAsking: (times: number) => (closeAfter = asked + times),
    async closed() {
      while (closed === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
      await closed;
    },
  };
}

describe.each(storagePlaces)("a service that closes in the middle of a job on %s", (_, place) => {
  test("leaves operations of all kinds to the next one, which goes on behind the last", async () => {
    const here = await place();
    const first = closingShop(here.open());
    const slow = (name: string) => ({ name, method: "POST", url: "/noted", body: { name } });
    const operations = [
      ...["a", "b", "c", "d", "e"].map(slow),
      { method: "POST", url: "/users", body: { name: { $result: "a.data.name" } } },
      { method: "GET", url: "/noted/{e.id}" },
    ];
    first.closeAt("c");
    const target = jobOf(await first.batch(operations, { headers: later }));
    await first.closed();
    expect(first.created).toEqual(["a", "b", "c"]);
    const second = closingShop(here.open());
    await second.service.start();
    const job = await endedJob(second.send, target);
    expect([job.status, job.results.map(({ index, status }) => [index, status])]).toEqual([
      "completed",
      [201, 201, 201, 201, 201, 201, 200].map((status, index) => [index, status]),
    ]);
    expect(second.created).toEqual(["d", "e"]);
    const rows = (await second.send({ target: "/noted?fields=name&sort=id" })).json.data;
    expect(rows.map(({ name }: { name: string }) => name)).toEqual(["a", "b", "c", "d", "e"]);
    expect((await second.send({ target: "/users?fields=name" })).json.data).toEqual([{ name: "a" }]);
    await second.service.close();
  });

  test("leaves a filter over many rows to the next one, which goes on behind the last page", async () => {
    const here = await place();
    const first = closingShop(here.open());
    await makeRows(first.send, 2_300);
    const request = { method: "POST", target: "/users/bulk-update?quantity=0", body: { quantity: 1 }, headers: later };
    const answer = await first.send(request);
    const target = jobOf(answer);
    first.closeAfterAsking(200);
    await first.closed();
    const second = closingShop(here.open());
    const middle = await readJob(second.send, target);
    expect(middle.processedRows).toBeLessThan(2_300);
    const job = await endedJob(second.send, target);
    expect([job.status, job.summary]).toEqual(["completed", { total: 2_300, succeeded: 2_300, failed: 0 }]);
    expect(job.results.map(({ index, id }) => [index, id])).toEqual(Array.from({ length: 2_300 }, (_, index) => [index, index + 1]));
    expect((await second.send({ target: "/users?quantity=1&perPage=1" })).json.meta.total).toBe(2_300);
    await second.service.close();
  });

  test("leaves many creates to the next one: none is doubled, none is lost", async () => {
    const here = await place();
    const first = closingShop(here.open());
    await first.send({ target: "/users" });
    const items = Array.from({ length: 1_000 }, (_, at) => ({ name: `n${at}` }));
    const request = { method: "POST", target: "/users/batch", body: { items }, headers: later };
    const target = jobOf(await first.send(request));
    first.closeAfterAsking(500);
    await first.closed();
    const second = closingShop(here.open());
    await second.service.start();
    const job = await endedJob(second.send, target);
    expect([job.status, job.summary]).toEqual(["completed", { total: 1_000, succeeded: 1_000, failed: 0 }]);
    expect((await second.send({ target: "/users?perPage=1" })).json.meta.total).toBe(1_000);
    await second.service.close();
  });
});

describe("a job that is canceled in the middle", () => {
  test("keeps what was done, tells of it, and does no more", async () => {
    const created: string[] = [];
    let reached: () => void = () => {};
    const middle = new Promise<void>((resolve) => (reached = resolve));
    let goOn: () => void = () => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const gated = defineResource("noted", {
      schema: z.object({ id: z.int(), name: z.string() }),
      generated: { id: "increment" },
      async create({ name }) {
        created.push(String(name));
        if (name === "b") {
          reached();
          await gate;
        }
      },
    });
    // The lease is extended, and the wish heard of, every 10 ms.
    const { batch, send, service } = openShop({ resources: [...shopTables, gated], jobs: { leaseMs: 30 } });
    const operations = ["a", "b", "c", "d"].map((name) => ({ name, method: "POST", url: "/noted", body: { name } }));
    const target = jobOf(await batch(operations, { headers: later }));
    await middle;
    const answer = await send({ method: "POST", target: `${target}/cancel` });
    expect([answer.status, answer.json.status]).toEqual([202, "processing"]);
    await new Promise((resolve) => setTimeout(resolve, 60));
    goOn();
    const job = await endedJob(send, target);
    expect([job.status, job.error?.code, job.processedRows]).toEqual(["failed", "CANCELLED", 2]);
    expect(job.results.map(({ index, name, status }) => [index, name, status])).toEqual([
      [0, "a", 201],
      [1, "b", 201],
    ]);
    expect([created, job.summary]).toEqual([["a", "b"], { total: 2, succeeded: 2, failed: 0 }]);
    await service.close();
  });
});
