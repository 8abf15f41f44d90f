import { memoryIdempotency } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../../../src/ground/http/message.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import { Unavailable } from "../../../src/ground/storage/errors.js";
import type { IdempotencyStore } from "../../../src/ground/storage/idempotency.js";
import { guardedStore } from "../../../src/parts/idempotency/guardedStore.js";
import { type Performance, performIdempotent } from "../../../src/parts/idempotency/performIdempotent.js";
import { awayStore, type Outage } from "../../tools/storage/awayStore.js";

const made = (body: string): HttpResponse => ({ status: 201, headers: {}, body });
const cut = () => new Unavailable("The connection was cut.");

/** Requests with one key, whose lease is much longer than an outage. */
function stage() {
  const clock = new FakeClock();
  const outage: Outage = { isAway: false };
  const store = awayStore(memoryIdempotency({ clock }), outage);
  const settings = { store, sharesTransactions: false, leaseMs: 60_000, ttlMs: 600_000, waitMs: 0, failOpen: false, storeServerErrors: false };
  const sendTo = async (to: IdempotencyStore, run: Performance["run"]): Promise<string> => {
    try {
      const { body } = await performIdempotent(
        { ...settings, store: to },
        { id: "id", fingerprint: "f", scopes: undefined, operationId: crypto.randomUUID() },
        { run, answerTo: () => undefined, warn: () => {} },
        { timers: clock, random: () => 0.5 },
      );
      return String(body);
    } catch (error) {
      return error instanceof ProblemError ? error.code : (error as Error).message;
    }
  };
  const send = (run: Performance["run"]) => sendTo(store, run);
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 250) {
      clock.advance(250);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { outage, send, sendTo, pass, store };
}

describe("after an outage", () => {
  test("a key whose attempt could not be released is free within three seconds", async () => {
    const { outage, send, pass } = stage();
    const broken = send(async () => {
      outage.isAway = true;
      throw cut();
    });
    expect(await broken).toBe("The connection was cut.");
    await pass(7_000);
    outage.isAway = false;
    await pass(3_000);
    expect(await send(async () => made("again"))).toBe("again");
  });

  test("a response that could not be stored is replayed within three seconds", async () => {
    const { outage, send, pass } = stage();
    const done = send(async () => {
      outage.isAway = true;
      return made("once");
    });
    expect(await done).toBe("once");
    await pass(7_000);
    outage.isAway = false;
    await pass(3_000);
    expect(await send(async () => made("twice"))).toBe("once");
  });

  test("a key that has begun although its answer was lost is free within three seconds", async () => {
    const { outage, send, pass, store } = stage();
    const begin = store.begin.bind(store);
    store.begin = async (...given) => {
      await begin(...given);
      outage.isAway = true;
      throw cut();
    };
    expect(await send(async () => made("never"))).toBe("The connection was cut.");
    store.begin = begin;
    await pass(7_000);
    outage.isAway = false;
    await pass(3_000);
    expect(await send(async () => made("once"))).toBe("once");
  });

  test("a key that was taken over although the answer was lost is free within three seconds, for the same operation", async () => {
    const { outage, send, pass, store } = stage();
    expect(
      await send(async () => {
        throw cut();
      }),
    ).toBe("The connection was cut.");
    const begin = store.begin.bind(store);
    store.begin = async (...given) => {
      expect(await begin(...given)).toMatchObject({ kind: "acquired", attempt: 2 });
      outage.isAway = true;
      throw cut();
    };
    expect(await send(async () => made("never"))).toBe("The connection was cut.");
    store.begin = begin;
    await pass(7_000);
    outage.isAway = false;
    await pass(3_000);
    const begun = await store.begin("id", { fingerprint: "f", operationId: "other", leaseMs: 60_000, ttlMs: 600_000 });
    expect(begun).toMatchObject({ kind: "acquired", attempt: 3, operationId: expect.not.stringMatching("other") });
  });

  test("a key of a guarded store that has begun although its answer was lost is free within three seconds", async () => {
    const { outage, pass, store, sendTo } = stage();
    const begin = store.begin.bind(store);
    store.begin = async (...given) => {
      await begin(...given);
      outage.isAway = true;
      throw cut();
    };
    expect(await sendTo(guardedStore(store), async () => made("never"))).toBe("STORAGE_UNAVAILABLE");
    store.begin = begin;
    outage.isAway = false;
    await pass(3_000);
    expect(await sendTo(guardedStore(store), async () => made("once"))).toBe("once");
  });

  test("what is stored later does not take the key from an attempt that has taken over", async () => {
    const { outage, send, pass, store } = stage();
    const broken = send(async () => {
      outage.isAway = true;
      throw cut();
    });
    await broken;
    outage.isAway = false;
    // Another process takes over before this one looks again: the attempt is released by its lease.
    const begun = await store.begin("id", { fingerprint: "f", operationId: "other", leaseMs: 60_000, ttlMs: 600_000 });
    expect(begun.kind).toBe("inFlight");
    await pass(3_000);
    const taken = await store.begin("id", { fingerprint: "f", operationId: "other", leaseMs: 60_000, ttlMs: 600_000 });
    expect(taken.kind).toBe("acquired");
    await pass(10_000);
    expect((await store.begin("id", { fingerprint: "f", operationId: "third", leaseMs: 60_000, ttlMs: 600_000 })).kind).toBe("inFlight");
  });
});
