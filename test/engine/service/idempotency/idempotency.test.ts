import { createHash } from "node:crypto";
import { defineResource, type IdempotencyStore, ProblemError, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FakeClock } from "../../../../src/testing/clock.js";
import { clientOf, type Received, type Sent } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";

const key = "0123456789abcdef";

/** A resource whose creates have an effect elsewhere. */
function chargesOf(charge: (operationId: string, signal: AbortSignal) => Promise<unknown>) {
  return defineResource("charges", {
    schema: z.object({ id: z.int(), amount: z.number(), status: z.enum(["pending", "done"]).default("pending") }),
    generated: { id: "increment" },
    readOnly: ["status"],
    async create(_, { operationId, signal }) {
      await charge(operationId, signal);
      return { status: "done" as const };
    },
  });
}

const items = defineResource("items", {
  schema: z.object({ id: z.int(), name: z.string().min(1), email: z.email().optional(), quantity: z.int().default(0) }),
  generated: { id: "increment" },
  unique: ["email"],
});

const strict = defineResource("strict", {
  schema: z.object({ id: z.int(), name: z.string() }),
  generated: { id: "increment" },
  requireIdempotencyKey: true,
});

function setUp(options: Partial<FullServiceOptions> = {}) {
  const service = fullService({ resources: [items, strict], storage: memoryStorage(), ...options });
  const send = clientOf(service);
  const post = (body: unknown, sent: Partial<Sent> = {}) =>
    send({ method: "POST", target: "/items", body, ...sent, headers: { "idempotency-key": key, ...sent.headers } });
  return { send, post };
}

const stores: [string, () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

describe.each(stores)("an Idempotency-Key on %s", (_, open) => {
  test("same key, same payload: the cached answer, byte for byte", async () => {
    const { send, post } = setUp({ storage: open() });
    const first = await post({ name: "a" });
    const again = await post({ name: "a" });
    expect([first.status, first.headers["idempotent-replayed"]]).toEqual([201, undefined]);
    expect([again.status, again.text, again.headers["location"], again.headers["etag"]]).toEqual([
      201,
      first.text,
      "/items/1",
      first.headers["etag"],
    ]);
    expect(again.headers).toMatchObject({ "idempotent-replayed": "true", "cache-control": "no-store", "content-type": "application/json" });
    expect(again.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
    expect((await send({ target: "/items" })).json.meta.total).toBe(1);
  });

  test("the order of members and white space play no part, everything else does", async () => {
    const { post } = setUp({ storage: open(), lists: { ignoreParameters: ["x"] } });
    await post('{"name":"a","quantity":1}');
    expect((await post('{ "quantity": 1,\n "name": "a" }')).headers["idempotent-replayed"]).toBe("true");
    for (const [body, sent] of [
      ['{"name":"a","quantity":2}', {}],
      ['{"name":"a","quantity":1}', { target: "/items?" + "x=1" }],
      ['{"name":"a","quantity":1}', { target: "/strict" }],
    ] as const) {
      const reused = await post(body, sent);
      expect([reused.status, reused.json.code, reused.json.errors[0].header]).toEqual([422, "IDEMPOTENCY_KEY_REUSED", "Idempotency-Key"]);
    }
  });

  test("50 parallel POSTs with one key make one row; the answers are 201 or 409", async () => {
    const { send, post } = setUp({ storage: open() });
    const answers = await Promise.all(Array.from({ length: 50 }, () => post({ name: "a" })));
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses).size).toBeLessThanOrEqual(2);
    expect(statuses.every((status) => status === 201 || status === 409)).toBe(true);
    for (const answer of answers.filter(({ status }) => status === 409)) {
      expect([answer.json.code, answer.headers["retry-after"]]).toEqual(["IDEMPOTENCY_KEY_IN_FLIGHT", "1"]);
    }
    expect(new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1);
    expect((await send({ target: "/items" })).json.meta.total).toBe(1);
  });

  test("with waitMs the others wait for the answer", async () => {
    const { send, post } = setUp({ storage: open(), idempotency: { waitMs: 5_000 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({ name: "a" })));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await send({ target: "/items" })).json.meta.total).toBe(1);
  });

  test("PATCH, PUT and DELETE are done once too: no 412 and no 404 for a retry", async () => {
    const { send, post } = setUp({ storage: open() });
    const created = await post({ name: "a" });
    const headers = (name: string, more = {}) => ({ "idempotency-key": `${name}-0123456789abcdef`, ...more });
    const change = () =>
      send({
        method: "PATCH",
        target: "/items/1",
        headers: headers("patch", { "if-match": String(created.headers["etag"]) }),
        body: { quantity: 1 },
      });
    const changes = [await change(), await change()];
    expect(changes.map(({ status }) => status)).toEqual([200, 200]);
    expect(changes[1]?.text).toBe(changes[0]?.text);
    const replace = () => send({ method: "PUT", target: "/items/1", headers: headers("put"), body: { name: "b" } });
    expect([(await replace()).text, (await replace()).headers["idempotent-replayed"]]).toEqual([expect.stringContaining('"b"'), "true"]);
    const remove = () => send({ method: "DELETE", target: "/items/1", headers: headers("delete") });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 204]);
    expect((await send({ method: "DELETE", target: "/items/1" })).status).toBe(404);
  });

  test("a duplicate is an answer that stays; what was refused before anything was done is forgotten", async () => {
    const { send, post } = setUp({ storage: open() });
    await send({ method: "POST", target: "/items", body: { name: "x", email: "x@example.com" } });
    const refused = await post({ name: "y", email: "x@example.com" });
    await send({ method: "DELETE", target: "/items/1" });
    const again = await post({ name: "y", email: "x@example.com" });
    expect([refused.status, again.status, again.text, again.headers["idempotent-replayed"]]).toEqual([422, 422, refused.text, "true"]);
    const other = { headers: { "idempotency-key": `other-${key}` } };
    expect((await post({ name: "" }, other)).status).toBe(422);
    expect((await post({ name: "now valid" }, other)).status).toBe(201);
  });

  test("keys are of one principal: two never share", async () => {
    const auth = [bearer((token) => ({ id: token, tenant: token === "eve" ? "b" : "a", scopes: token === "weak" ? [] : ["write"] }))];
    const { post } = setUp({ storage: open(), auth });
    const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const ids = [];
    for (const token of ["ada", "bob", "eve"]) ids.push((await post({ name: "a" }, as(token))).json.id);
    expect(new Set(ids).size).toBe(3);
    expect((await post({ name: "a" }, as("ada"))).json.id).toBe(ids[0]);
    expect((await post({ name: "a" }, {})).status).toBe(401);
  });

  test("an effect elsewhere that fails is tried again under the same operation id", async () => {
    const operations: string[] = [];
    const charges = chargesOf(async (operationId) => {
      operations.push(operationId);
      if (operations.length === 1) throw new Error("time-out after the money was gone");
    });
    const send = clientOf(fullService({ resources: [charges], storage: open() }));
    const pay = () => send({ method: "POST", target: "/charges", headers: { "idempotency-key": key }, body: { amount: 5 } });
    const failed = await pay();
    let second: Received = await pay();
    for (let tries = 0; second.status === 409 && tries < 2_000; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      second = await pay();
    }
    expect([failed.status, second.status, second.json.status, (await pay()).text]).toEqual([500, 201, "done", second.text]);
    expect(operations).toHaveLength(2);
    expect(new Set(operations).size).toBe(1);
    expect((await send({ target: "/charges" })).json.meta.total).toBe(1);
  });

  test("a refusal of the effect reaches the client, and the key is free", async () => {
    let enough = false;
    const charges = chargesOf(async () => {
      if (!enough) throw new ProblemError("FORBIDDEN", "Not enough money.");
    });
    const send = clientOf(fullService({ resources: [charges], storage: open() }));
    const pay = (amount: number) => send({ method: "POST", target: "/charges", headers: { "idempotency-key": key }, body: { amount } });
    expect([(await pay(5)).status, (await pay(4)).status]).toEqual([403, 403]);
    enough = true;
    expect((await pay(3)).status).toBe(201);
  });

  test("a changed payload is 422 even in flight", async () => {
    let go = () => {};
    const waiting = new Promise<void>((resolve) => {
      go = resolve;
    });
    const charges = chargesOf(() => waiting);
    const send = clientOf(fullService({ resources: [charges], storage: open() }));
    const pay = (amount: number) => send({ method: "POST", target: "/charges", headers: { "idempotency-key": key }, body: { amount } });
    const first = pay(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([(await pay(2)).status, (await pay(1)).status]).toEqual([422, 409]);
    go();
    expect((await first).status).toBe(201);
  });
});

describe("a key", () => {
  test.each([
    "",
    " ",
    "short",
    "x".repeat(256),
    "with space 0123456789",
    "a,b-0123456789abcdef",
    '"0123456789abcdef',
    "0123456789abcdé",
    "\t0123456789abcde",
  ])("%j is invalid", async (value) => {
    const { post } = setUp();
    const refused = await post({ name: "a" }, { headers: { "idempotency-key": value } });
    expect([refused.status, refused.json.code, refused.json.errors[0].header]).toEqual([400, "IDEMPOTENCY_KEY_INVALID", "Idempotency-Key"]);
  });

  test("may be quoted, and means the same", async () => {
    const { post } = setUp();
    await post({ name: "a" }, { headers: { "idempotency-key": `"${key}"` } });
    expect((await post({ name: "a" }, { headers: { "idempotency-key": ` ${key} ` } })).headers["idempotent-replayed"]).toBe("true");
  });

  test("is ignored where nothing is written", async () => {
    const { send } = setUp();
    for (const sent of [
      { target: "/items" },
      { method: "QUERY", target: "/items", body: {} },
      { method: "POST", target: "/searches", body: { collection: "items" } },
    ]) {
      expect((await send({ ...sent, headers: { "idempotency-key": "!" } })).status).toBe(200);
    }
  });

  test("is required where the resource says so", async () => {
    const { send } = setUp();
    const refused = await send({ method: "POST", target: "/strict", body: { name: "a" } });
    expect([refused.status, refused.json.code]).toEqual([400, "IDEMPOTENCY_KEY_REQUIRED"]);
    expect((await send({ method: "POST", target: "/strict", headers: { "idempotency-key": key }, body: { name: "a" } })).status).toBe(201);
  });

  test("of a caller without credentials may be refused", async () => {
    const auth = [bearer((token) => ({ id: token }))];
    const { post } = setUp({ auth, anonymous: "allow", idempotency: { anonymous: "refuse" } });
    expect((await post({ name: "a" })).status).toBe(401);
    expect((await post({ name: "a" }, { headers: { authorization: "Bearer ada" } })).status).toBe(201);
  });
});

describe("a store of records that is down", () => {
  const down = { begin: () => Promise.reject(new Error("down")), complete: async () => true, abandon: async () => true };

  test("fails closed: nothing is done without the guarantee", async () => {
    const { send, post } = setUp({ idempotency: { store: down } });
    expect((await post({ name: "a" })).status).toBe(500);
    expect((await send({ target: "/items" })).json.meta.total).toBe(0);
    expect((await send({ method: "POST", target: "/items", body: { name: "a" } })).status).toBe(201);
  });

  test("failOpen: the operation runs, and the log says so", async () => {
    const errors: string[] = [];
    const nothing = () => {};
    const logger = { error: (_: unknown, message: string) => errors.push(message), warn: nothing, info: nothing, debug: nothing };
    const { post } = setUp({ idempotency: { store: down, failOpen: true }, logger });
    expect((await post({ name: "a" })).status).toBe(201);
    expect(errors).toEqual([expect.stringMatching(/runs without the guarantee/)]);
  });
});

test("a record elsewhere: rows are inserted under the operation's id, once", async () => {
  const records = required(memoryStorage());
  const storage = memoryStorage();
  let lost = true;
  // The answer is lost between the write and the record: as if the process had died there.
  const store = {
    ...bound(records),
    complete: async (...args: Parameters<typeof records.complete>) => (lost ? Promise.reject(new Error("died")) : records.complete(...args)),
  };
  const { send, post } = setUp({ storage, idempotency: { store, leaseMs: 20 } });
  const first = await post({ name: "a" });
  lost = false;
  await new Promise((resolve) => setTimeout(resolve, 40));
  const again = await post({ name: "a" });
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
  expect((await send({ target: "/items" })).json.meta.total).toBe(1);
});

function bound<T extends object>(store: T): T {
  return Object.fromEntries(methodsOf(store)) as T;
}

function methodsOf(store: object): [string, unknown][] {
  const names = new Set([...Object.keys(store), ...Object.getOwnPropertyNames(Object.getPrototypeOf(store))]);
  return [...names].flatMap((name) => {
    const member: unknown = Reflect.get(store, name);
    return typeof member === "function" && name !== "constructor" ? [[name, member.bind(store)]] : [];
  });
}

test("an answer is kept whole: 64 KiB of text come back as they went", async () => {
  const { post } = setUp();
  const name = createHash("sha256").update("x").digest("hex").repeat(1_024);
  const first = await post({ name });
  expect((await post({ name })).text).toBe(first.text);
});

test("records that have expired are removed now and then", async () => {
  const clock = new FakeClock();
  const storage = memoryStorage({ clock });
  let purges = 0;
  const store = {
    ...bound(required(storage)),
    purge: async () => {
      purges += 1;
      return 0;
    },
  };
  const { post } = setUp({ storage, clock, idempotency: { store } });
  await post({ name: "a" });
  clock.advance(600_000);
  await post({ name: "a" });
  await post({ name: "a" });
  expect(purges).toBe(1);
});

function required({ idempotency }: Storage): IdempotencyStore {
  if (idempotency === undefined) throw new Error("The store keeps no records.");
  return idempotency;
}
