// @slow

import { defineResource, type IdempotencyOptions, type Service, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryIdempotency, memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { IdempotencyStore } from "../../../../src/ground/storage/idempotency.js";
import { ownerId } from "../../../../src/parts/idempotency/fingerprint.js";
import { clientOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";

const documents = defineResource("documents", { schema: z.object({ id: z.string(), text: z.string() }) });
const mebibyte = 1_048_576;
const auth = [bearer((token) => ({ id: token }))];

function setUp(storage: Storage, idempotency?: IdempotencyOptions) {
  const service: Service = fullService({ resources: [documents], storage, auth, idempotency, limits: { jsonBodyBytes: 20 * mebibyte } });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  const as = (who: string, key?: number) => ({
    authorization: `Bearer ${who}`,
    ...(key === undefined ? {} : { "idempotency-key": `key-0123456789-${key}` }),
  });
  const post = (who: string, key: number, text: string) =>
    send({ method: "POST", target: "/documents", body: { id: `${who}${key}`, text }, headers: as(who, key) });
  return { send, as, post };
}

/** Bytes that do not get smaller. */
const noise = (bytes: number) => Array.from({ length: bytes / 8 }, () => Math.random().toString(36).slice(2, 10).padEnd(8, "x")).join("");

const stores: readonly [string, () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

function recordsOf({ idempotency }: Storage): Required<Pick<IdempotencyStore, "storedBytes">> {
  const store = idempotency ?? expect.fail();
  return { storedBytes: store.storedBytes?.bind(store) ?? expect.fail() };
}

describe.each(stores)("answers that are kept on %s", (_, open) => {
  test.each(["lenient", "strict"])(
    "a keyed batch of three reads of 3 MB keeps nothing large, and reads again (%s)",
    async (handling) => {
      const storage = open();
      const { send, as } = setUp(storage);
      await send({ method: "POST", target: "/documents", body: { id: "big", text: noise(3 * mebibyte) }, headers: as("ada") });
      const operations = Array.from({ length: 3 }, (_each, index) => ({ name: `op${index}`, method: "GET", url: "/documents/big" }));
      const batch = () =>
        send({ method: "POST", target: "/batch", body: { operations }, headers: { ...as("ada", 1), prefer: `handling=${handling}` } });
      const first = await batch();
      expect([first.status, first.headers["idempotent-replayed"]]).toEqual([200, undefined]);
      expect(await recordsOf(storage).storedBytes(ownerId(undefined, "ada"))).toBeLessThan(1_000);
      const again = await batch();
      expect([again.status, again.headers["content-type"], again.headers["idempotent-replayed"], again.text]).toEqual([
        200,
        first.headers["content-type"],
        "true",
        "",
      ]);
    },
    60_000,
  );

  test("beyond its budget a principal's replays have no bodies, the effects still happen once, and others have theirs", async () => {
    const storage = open();
    const { send, as, post } = setUp(storage, { maxStoredBytes: mebibyte });
    const text = noise(mebibyte / 4);
    for (let key = 1; key <= 12; key++) expect((await post("ada", key, text)).status).toBe(201);
    expect(await recordsOf(storage).storedBytes(ownerId(undefined, "ada"))).toBeLessThan(mebibyte + 12_000);
    const replays = [];
    for (let key = 1; key <= 12; key++) replays.push(await post("ada", key, text));
    expect(new Set(replays.map(({ status, headers }) => `${status} ${headers["idempotent-replayed"]}`))).toEqual(new Set(["201 true"]));
    expect(replays.map(({ headers }) => headers["location"])).toEqual(replays.map((_each, index) => `/documents/ada${index + 1}`));
    const omitted = replays.filter((each) => each.text === "").length;
    expect([omitted > 5, omitted < 12, replays[0]?.json.text === text]).toEqual([true, true, true]);
    expect((await send({ target: "/documents?fields=id", headers: as("ada") })).json.meta.total).toBe(12);
    await post("bob", 1, text);
    expect((await post("bob", 1, text)).json.text).toBe(text);
  });

  test("parallel writes of one process stay within the budget", async () => {
    const storage = open();
    const { post } = setUp(storage, { maxStoredBytes: mebibyte });
    const text = noise(mebibyte / 8);
    await Promise.all(Array.from({ length: 30 }, (_each, key) => post("ada", key, text)));
    expect(await recordsOf(storage).storedBytes(ownerId(undefined, "ada"))).toBeLessThan(mebibyte + 30_000);
  });
});

test("a mixed batch that is done again reads again what was not kept", async () => {
  const { send, as } = setUp(memoryStorage(), { maxStoredBytes: 0 });
  const operations = [
    { name: "made", method: "POST", url: "/documents", body: { id: "a", text: "b" } },
    { method: "GET", url: "/documents/{made.id}" },
  ];
  const batch = () => send({ method: "POST", target: "/batch", body: { operations }, headers: as("ada", 1) });
  expect((await batch()).json.results.map(({ status }: { status: number }) => status)).toEqual([201, 200]);
  expect([(await batch()).status, (await batch()).text]).toEqual([200, ""]);
});

test.each<[Partial<IdempotencyOptions>, string]>([
  [{ maxStoredBytes: -1 }, "maxStoredBytes"],
  [{ maxStoredBytes: 1, store: { ...memoryIdempotency(), storedBytes: undefined } as unknown as IdempotencyStore }, "storedBytes()"],
])("a budget that cannot hold is refused at start-up", (idempotency, message) => {
  expect(() => setUp(memoryStorage(), idempotency)).toThrow(message);
});
