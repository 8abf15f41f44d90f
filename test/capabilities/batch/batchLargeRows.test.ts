import { defineResource } from "restwright";
import { respond } from "restwright/actions";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { type FullService, fullService } from "../../tools/fullService.js";
import { counted } from "../../tools/storage/countedStore.js";
import { endedJob, jobOf } from "./batchJobStage.js";

const services: FullService[] = [];
afterEach(async () => void (await Promise.all(services.splice(0).map((service) => service.close()))));

/** Rows of 1,000 characters or others, and batches that may have 5,000. */
async function setUp({ rows = 10, characters = 1_000 } = {}) {
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), text: z.string(), n: z.int().default(0) }),
    generated: { id: "increment" },
    actions: ({ action }) => ({
      touch: action({ on: "row", batch: true, run: () => ({ n: 7 }) }),
      copyText: action({ on: "row", batch: true, run: ({ row }) => respond(row.text) }),
    }),
  });
  const { storage, calls } = counted(memoryStorage());
  const service = fullService({ resources: [notes], storage, limits: { batchBodyBytes: 5_000 } });
  services.push(service);
  const send = clientOf(service);
  const text = "x".repeat(characters);
  for (let made = 0; made < rows; made++) await send({ method: "POST", target: "/notes", body: { text } });
  calls.length = 0;
  const ids = Array.from({ length: rows }, (_, index) => index + 1);
  return { send, calls, ids, service };
}

const withData = (results: readonly { data?: unknown }[]) => results.map(({ data }) => (data === undefined ? "-" : "d")).join("");

const strict = { prefer: "handling=strict" };
const lenient = {};

const writes = [
  [
    "PATCH /notes/batch",
    (ids: number[]) => ({ method: "PATCH", target: "/notes/batch", body: { items: ids.map((id) => ({ id, changes: { n: 1 } })) } }),
  ],
  ["POST /notes/bulk-update", () => ({ method: "POST", target: "/notes/bulk-update?n=0", body: { n: 1 } })],
  [
    "POST /notes/batch-delete",
    (ids: number[]) => ({ method: "POST", target: "/notes/batch-delete", body: { ids }, prefer: "return=representation" }),
  ],
  ["DELETE /notes?n=0", () => ({ method: "DELETE", target: "/notes?n=0&confirm=true", prefer: "return=representation" })],
] as const;

describe.each(writes)("%s of large rows", (_, request) => {
  test.each([
    ["best effort", lenient],
    ["atomic", strict],
  ])("shows rows until they are too much, %s", async (_name, headers: { prefer?: string }) => {
    const { send, ids } = await setUp();
    const { prefer, ...sent } = { prefer: undefined, ...request(ids) };
    const both = [headers.prefer, prefer].filter(Boolean).join(", ");
    const { status, json } = await send({ ...sent, headers: { ...(both && { prefer: both }), "idempotency-key": "a-key-of-many-rows" } });
    expect([status, json.summary]).toEqual([200, { total: 10, succeeded: 10, failed: 0 }]);
    expect(withData(json.results)).toBe("dddd------");
    expect(json.results.map(({ id }: { id: number }) => id)).toEqual(ids);
    const again = await send({ ...sent, headers: { ...(both && { prefer: both }), "idempotency-key": "a-key-of-many-rows" } });
    expect(again.json).toEqual(json);
  });
});

test.each([
  ["touch", 200, "dddd------"],
  ["copyText", 207, "dddd------"],
])("%s of many rows shows rows until they are too much, and refuses responses that are", async (action, expected, shown) => {
  const { send, ids } = await setUp();
  const { status, json } = await send({ method: "POST", target: `/notes/${action}`, body: { items: ids.map((id) => ({ id })) } });
  expect([status, withData(json.results)]).toEqual([expected, shown]);
});

test("a failed item uses none of the room", async () => {
  const { send } = await setUp();
  const items = [1, 99, 2, 98, 3, 4, 5].map((id) => ({ id, changes: { n: 1 } }));
  const { json } = await send({ method: "PATCH", target: "/notes/batch", body: { items } });
  expect(withData(json.results)).toBe("d-d-dd-");
});

test("the stored results of a job show rows until they are too much", async () => {
  const { send, ids } = await setUp();
  const body = { items: ids.map((id) => ({ id, changes: { n: 1 } })) };
  const job = await endedJob(send, jobOf(await send({ method: "PATCH", target: "/notes/batch", body, headers: { prefer: "respond-async" } })));
  expect(job.summary).toEqual({ total: 10, succeeded: 10, failed: 0 });
  expect(withData(job.results)).toBe("dddd------");
});

// A commit of many large rows would block the event loop.
test.each([
  ["that are too much at once end", 1_000, 25],
  ["that are too much after a while end", 150, 11],
  ["that are small do not end", 10, 5],
])("rows %s a slice early, and all rows are changed", async (_, characters, slices) => {
  const { send, calls } = await setUp({ rows: 250, characters });
  const { json } = await send({ method: "POST", target: "/notes/bulk-update?n=0", body: { n: 1 } });
  expect(json.summary).toEqual({ total: 250, succeeded: 250, failed: 0 });
  expect(calls.filter((call) => call === "transaction")).toHaveLength(slices);
});

test("an atomic batch of rows that are too much for one transaction changes nothing", async () => {
  const { send } = await setUp({ rows: 60 });
  const refused = await send({ method: "POST", target: "/notes/bulk-update?n=0", body: { n: 1 }, headers: strict });
  expect([refused.status, refused.json.code, refused.json.maximum]).toEqual([413, "BATCH_TOO_LARGE", 50_000]);
  expect((await send({ target: "/notes?n=0&fields=id&perPage=1" })).json.meta.total).toBe(60);
});

test("a batch that continues as a job counts the rows that it has shown", async () => {
  const clock = new FakeClock();
  const letters = defineResource("letters", {
    schema: z.object({ id: z.int(), text: z.string() }),
    generated: { id: "increment" },
    async create() {
      clock.advance(10_000);
      return { text: "x".repeat(1_000) };
    },
  });
  const options = { storage: memoryStorage({ clock }), limits: { batchBodyBytes: 5_000 }, clock, timers: clock };
  const service = fullService({ resources: [letters], ...options });
  services.push(service);
  const send = clientOf(service);
  const items = Array.from({ length: 8 }, () => ({ text: "x" }));
  const answer = await send({ method: "POST", target: "/letters/batch", body: { items } });
  expect(answer.json.processedRows).toBe(3);
  const job = await endedJob(send, jobOf(answer));
  expect([job.summary?.succeeded, withData(job.results)]).toEqual([8, "dddd----"]);
});

describe("a mixed batch", () => {
  const operations = (ids: readonly number[]) => ids.map((id) => ({ name: `op${id}`, method: "PATCH", url: `/notes/${id}`, body: { n: 1 } }));

  test("shows what its writes answer until it is too much, and references see all of it", async () => {
    const { send, ids } = await setUp();
    const last = { method: "PATCH", url: "/notes/1", body: { text: { $result: "op10.data.text" }, n: { $result: "op10.data.n" } } };
    const { status, json } = await send({ method: "POST", target: "/batch", body: { operations: [...operations(ids), last] } });
    expect([status, json.summary.failed]).toEqual([200, 0]);
    expect(withData(json.results)).toBe("dddd-------");
  });

  test("that became a job does so too", async () => {
    const { send, ids } = await setUp();
    const last = { method: "PATCH", url: "/notes/1", body: { n: { $result: "op10.data.n" } } };
    const body = { operations: [...operations(ids), last] };
    const job = await endedJob(send, jobOf(await send({ method: "POST", target: "/batch", body, headers: { prefer: "respond-async" } })));
    expect(job.summary?.failed).toBe(0);
    expect(withData(job.results)).toBe("dddd-------");
    expect(JSON.stringify(job.document)).not.toContain("hiddenData");
  });
});
