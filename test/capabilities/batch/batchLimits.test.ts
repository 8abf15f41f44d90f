import { defineResource, type RequestBody, type ResourceOptions } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Received, requestOf, type Sent } from "../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";
import { accounts } from "./batchAccounts.js";
import { endedJob, jobOf } from "./batchJobStage.js";

function setUp(options: Partial<FullServiceOptions> = {}, batch?: ResourceOptions<z.ZodObject>["batch"]) {
  const notes = defineResource("notes", {
    schema: z.object({ id: z.int(), text: z.string().min(1), tags: z.array(z.string()).default([]) }),
    generated: { id: "increment" },
    batch,
  });
  const service = fullService({ resources: [notes], storage: memoryStorage(), ...options });
  const send = clientOf(service);
  const texts = async () => (await send({ target: "/notes?perPage=100" })).json.data.map(({ text }: { text: string }) => text);
  return { service, send, texts };
}

type SetUp = ReturnType<typeof setUp>;

/** Sends a body as a stream that counts what is taken of it. */
async function streamed({ service }: SetUp, chunks: readonly Uint8Array[], sent: Sent) {
  let taken = 0;
  async function* stream() {
    for (const chunk of chunks) {
      taken += 1;
      yield chunk;
    }
  }
  const body: RequestBody = { kind: "stream", stream: stream() };
  const request = requestOf({ ...sent, headers: { "content-type": "application/json", ...sent.headers } });
  const response = await service.handle({ ...request, body });
  return { status: response?.status, json: JSON.parse(String(response?.body)), taken };
}

const post = (body: unknown, headers: Readonly<Record<string, string>> = {}): Sent => ({ method: "POST", target: "/notes/batch", body, headers });
const outcome = ({ status, json }: Received) => [status, json.code];

/** Each takes a list under one of its names. */
const shapes = [
  ["POST", "/notes/batch", ["items"]],
  ["PATCH", "/notes/batch", ["items"]],
  ["POST", "/notes/batch-delete", ["ids", "items"]],
  ["DELETE", "/notes", ["ids", "items"]],
] as const;

describe.each(shapes)("the body of %s %s", (method, target, names) => {
  const [name] = names;

  test.each([
    ["a number", 5, ""],
    ["null", "null", ""],
    ["a list", [{ text: "a" }], ""],
    ["no list", {}, ""],
    ["a list that is none", { [name]: { 0: 1 } }, `/${name}`],
    ["a list that is null", { [name]: null }, `/${name}`],
    ["another name", { things: [1] }, "/things"],
    ["another member besides", { [name]: [1], mode: "atomic" }, "/mode"],
    ["a member that every object has", { constructor: [1] }, "/constructor"],
  ])("is 400 INVALID_BATCH as %s", async (_, body, where) => {
    const { send, texts } = setUp();
    await send(post({ items: [{ text: "kept" }] }));
    const answer = await send({ method, target, body });
    expect(outcome(answer)).toEqual([400, "INVALID_BATCH"]);
    expect(answer.json.errors).toMatchObject([{ pointer: where, allowed: names }]);
    expect(await texts()).toEqual(["kept"]);
  });

  test("is 400 EMPTY_BATCH with nothing in it", async () => {
    const answer = await setUp().send({ method, target, body: { [name]: [] } });
    expect(outcome(answer)).toEqual([400, "EMPTY_BATCH"]);
    expect(answer.json.errors).toMatchObject([{ pointer: `/${name}` }]);
  });

  test("is 413 with too many items, whatever stands in them, and says how many may come", async () => {
    const { send, texts } = setUp({}, { maxItems: 3 });
    await send(post({ items: [{ text: "kept" }] }));
    const answer = await send({ method, target, body: { [name]: [1, 1, 1, 1] } });
    expect([...outcome(answer), answer.json.maximum]).toEqual([413, "BATCH_TOO_LARGE", 3]);
    expect((await send({ method, target, body: { [name]: [null, null, null] } })).status).toBe(207);
    expect(await texts()).toEqual(["kept"]);
  });

  test.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["application/json; charset=latin1", 415],
    ["application/json; charset=utf-8", 207],
  ])("may come as %s: %i", async (type, status) => {
    const answer = await setUp().send({ method, target, body: { [name]: [null] }, headers: { "content-type": type } });
    expect(answer.status).toBe(status);
  });

  test.each(['{"items": [', "[1,]", "\ufeff", new Uint8Array([0x22, 0xff, 0x22])])("is 400 where it is no JSON: %j", async (body) => {
    const { send, texts } = setUp();
    await send(post({ items: [{ text: "kept" }] }));
    const answer = await send({ method, target, body });
    expect(answer.status).toBe(400);
    expect(await texts()).toEqual(["kept"]);
  });
});

test("ids and items cannot stand side by side", async () => {
  const { send } = setUp();
  const answer = await send({ method: "POST", target: "/notes/batch-delete", body: { ids: [1], items: [{ id: 1 }] } });
  expect([...outcome(answer), answer.json.errors[0].pointer]).toEqual([400, "INVALID_BATCH", "/items"]);
});

describe("a body beyond the limit", () => {
  const limits = { batchBodyBytes: 1_000 };
  const long = { items: [{ text: "a" }, { text: "b".repeat(1_000) }] };

  test("is 413 with the limit", async () => {
    const { send, texts } = setUp({ limits });
    const answer = await send(post(long));
    expect([...outcome(answer), answer.json.maximum, await texts()]).toEqual([413, "BATCH_TOO_LARGE", 1_000, []]);
  });

  test("is not read where its length is announced", async () => {
    const made = setUp({ limits });
    const answer = await streamed(made, [Buffer.from(JSON.stringify(long))], { ...post(undefined), headers: { "content-length": "1001" } });
    expect([answer.status, answer.json.code, answer.json.maximum, answer.taken]).toEqual([413, "BATCH_TOO_LARGE", 1_000, 0]);
  });

  test("is read no further than to the limit", async () => {
    const made = setUp({ limits });
    const chunks = Array.from({ length: 100 }, () => Buffer.alloc(300, 0x20));
    const answer = await streamed(made, chunks, post(undefined));
    expect([answer.status, answer.json.code, answer.json.maximum]).toEqual([413, "BATCH_TOO_LARGE", 1_000]);
    expect(answer.taken).toBeLessThanOrEqual(5);
    expect(await made.texts()).toEqual([]);
  });

  test("may be larger than that of other requests", async () => {
    const { send, texts } = setUp({ limits: { jsonBodyBytes: 100, jsonValues: 10 } });
    const items = Array.from({ length: 20 }, (_, index) => ({ text: `number ${index}` }));
    expect([(await send(post({ items }))).status, (await texts()).length]).toEqual([200, 20]);
    expect((await send({ method: "POST", target: "/notes", body: { text: "x".repeat(100) } })).status).toBe(413);
  });

  test("with too many values is 400", async () => {
    const { send, texts } = setUp({ limits: { batchValues: 10 } });
    const answer = await send(post({ items: [{ text: "a", tags: Array.from({ length: 10 }, () => "t") }] }));
    expect([answer.status, await texts()]).toEqual([400, []]);
  });
});

describe("an item beyond the limits of a request of its own", () => {
  const limits = { jsonBodyBytes: 300, jsonValues: 20 };
  const tooLong = { text: "ü".repeat(150) };
  const tooMany = { text: "many", tags: Array.from({ length: 20 }, () => "t") };
  const beyond: readonly [string, object, number, string][] = [
    ["with too many bytes", tooLong, 413, "PAYLOAD_TOO_LARGE"],
    ["with escapes that make it too long", { text: '"'.repeat(150) }, 413, "PAYLOAD_TOO_LARGE"],
    ["with too many values", tooMany, 400, "MALFORMED_JSON"],
    ["with too many of both", { ...tooMany, ...tooLong }, 413, "PAYLOAD_TOO_LARGE"],
  ];
  const fits = { text: "ü".repeat(144) };

  test.each(beyond)("%s fails as it does alone, and its neighbours stay", async (_, item, status, code) => {
    const { send, texts } = setUp({ limits });
    expect(outcome(await send({ method: "POST", target: "/notes", body: item }))).toEqual([status, code]);
    const answer = await send(post({ items: [{ text: "a" }, item, { text: "b" }] }));
    expect(answer.status).toBe(207);
    expect(answer.json.results.map((result: { status: number; error?: { code: string } }) => [result.status, result.error?.code])).toEqual([
      [201, undefined],
      [status, code],
      [201, undefined],
    ]);
    expect(await texts()).toEqual(["a", "b"]);
  });

  test("may have as many bytes as alone", async () => {
    const { send } = setUp({ limits });
    expect(Buffer.byteLength(JSON.stringify(fits))).toBe(299);
    expect((await send({ method: "POST", target: "/notes", body: fits })).status).toBe(201);
    expect((await send(post({ items: [fits, fits] }))).status).toBe(200);
  });

  test.each(beyond)("%s is refused in a patch and as an operation, and as a value that the host has parsed", async (_, item, status, code) => {
    const { send, service, texts } = setUp({ limits });
    await send(post({ items: [{ text: "kept" }] }));
    const patched = await send({ method: "PATCH", target: "/notes/batch", body: { items: [{ id: 1, changes: item }] } });
    expect(patched.json.results).toMatchObject([{ status, error: { code } }]);
    const operations = ["POST", "PATCH"].map((method) => ({ method, url: method === "POST" ? "/notes" : "/notes/1", body: item }));
    const operated = await send({ method: "POST", target: "/batch", body: { operations } });
    expect(operated.json.results).toMatchObject([
      { status, error: { code } },
      { status, error: { code } },
    ]);
    const request = requestOf({ ...post(undefined), headers: { "content-type": "application/json" } });
    const parsed = await service.handle({ ...request, body: { kind: "parsed", value: { items: [item] } } });
    expect(JSON.parse(String(parsed?.body)).results).toMatchObject([{ status, error: { code } }]);
    expect(await texts()).toEqual(["kept"]);
  });

  test.each(beyond)("%s fails its part of a multipart batch", async (_, item, status, code) => {
    const { send, texts } = setUp({ limits });
    const part = (body: unknown) =>
      `--b\r\ncontent-type: application/http\r\n\r\nPOST /notes HTTP/1.1\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(body)}\r\n`;
    const headers = { "content-type": "multipart/mixed; boundary=b", accept: "application/json" };
    const answer = await send({ method: "POST", target: "/batch", headers, body: `${part({ text: "a" })}${part(item)}--b--\r\n` });
    expect(answer.json.results).toMatchObject([{ status: 201 }, { status, error: { code } }]);
    expect(await texts()).toEqual(["a"]);
  });

  test.each(beyond)("%s ends a batch that is atomic", async (_, item, status, code) => {
    const { send, texts } = setUp({ limits });
    const answer = await send(post({ items: [{ text: "a" }, item] }, { prefer: "handling=strict" }));
    expect(answer.status).toBe(422);
    expect(answer.json.results).toMatchObject([{ status: 424 }, { status, error: { code } }]);
    expect(await texts()).toEqual([]);
  });

  test.each(beyond)("%s fails in a job", async (_, item, status, code) => {
    const { send, service, texts } = setUp({ limits, jobs: { pollMs: 20 } });
    await service.start();
    const accepted = await send(post({ items: [{ text: "a" }, item] }, { prefer: "respond-async" }));
    expect(accepted.status).toBe(202);
    const job = await endedJob(send, jobOf(accepted));
    expect(job.results).toMatchObject([{ status: 201 }, { status, error: { code } }]);
    expect(await texts()).toEqual(["a"]);
    await service.close();
  });

  test.each(beyond)("%s is no patch for all rows of a filter", async (_, item, status, code) => {
    const { send, texts } = setUp({ limits });
    await send(post({ items: [{ text: "kept" }] }));
    expect(outcome(await send({ method: "POST", target: "/notes/bulk-update?text=kept", body: item }))).toEqual([status, code]);
    expect(await texts()).toEqual(["kept"]);
  });
});

test("1,000 items are the most that one batch takes, where nobody said otherwise", async () => {
  const { send, texts } = setUp();
  const items = Array.from({ length: 1_001 }, () => ({ text: "a" }));
  const answer = await send(post({ items }));
  expect([...outcome(answer), answer.json.maximum, await texts()]).toEqual([413, "BATCH_TOO_LARGE", 1_000, []]);
});

test("what a filter matches counts too", async () => {
  const { send, texts } = setUp({}, { maxItems: 3 });
  for (const size of [3, 1]) await send(post({ items: Array.from({ length: size }, () => ({ text: "a" })) }));
  for (const sent of [
    { method: "POST", target: "/notes/bulk-update?text=a", body: { text: "b" } },
    { method: "DELETE", target: "/notes?text=a&confirm=4" },
  ]) {
    const answer = await send(sent);
    expect([...outcome(answer), answer.json.maximum]).toEqual([413, "BATCH_TOO_LARGE", 3]);
  }
  expect(await texts()).toEqual(["a", "a", "a", "a"]);
  expect((await send({ method: "DELETE", target: "/notes?text=a&dryRun=true" })).json).toEqual({ matched: 4, sample: [1, 2, 3, 4] });
});

test.each([
  ["create", "POST", "/accounts/batch", { items: [{ name: "a" }, { name: "b\u0000" }, { name: "c" }] }, [201, 422, 201], "/name"],
  [
    "update",
    "PATCH",
    "/accounts/batch",
    {
      items: [
        { id: 1, changes: { balance: 1 } },
        { id: 1, changes: { name: "\ud800" } },
      ],
    },
    [200, 422],
    "/changes/name",
  ],
])("text that no store keeps is the fault of its item (%s)", async (_kind, method, target, body, statuses, pointer) => {
  const send = clientOf(fullService({ resources: [accounts], storage: memoryStorage() }));
  await send({ method: "POST", target: "/accounts", body: { name: "first" } });
  const answer = await send({ method, target, body });
  expect(answer.json.results.map(({ status }: { status: number }) => status)).toEqual(statuses);
  expect(answer.json.results[1].error.errors[0].pointer).toBe(pointer);
});
