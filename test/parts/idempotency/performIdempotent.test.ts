import { setTimeout as sleep } from "node:timers/promises";
import { memoryIdempotency } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, it } from "vitest";
import type { HttpResponse } from "../../../src/ground/http/message.js";
import { ProblemError } from "../../../src/ground/problem/index.js";
import type { IdempotencyStore } from "../../../src/ground/storage/idempotency.js";
import {
  type HeldOperation,
  type IdempotencySettings,
  type KeyedRequest,
  type Performance,
  performIdempotent,
} from "../../../src/parts/idempotency/performIdempotent.js";

const made = (body: string, status = 201): HttpResponse => ({ status, headers: {}, body });

/** One key at one store, whose clock stands still. */
function stage(changes: Partial<IdempotencySettings> = {}) {
  const clock = new FakeClock();
  const store = memoryIdempotency({ clock });
  const warnings: string[] = [];
  const settings = {
    store,
    sharesTransactions: false,
    leaseMs: 1_000,
    ttlMs: 10_000,
    waitMs: 0,
    failOpen: false,
    storeServerErrors: false,
    ...changes,
  };
  const send = (run: Performance["run"], request: Partial<KeyedRequest> = {}, performance: Partial<Performance> = {}) =>
    performIdempotent(
      settings,
      { id: "id", fingerprint: "f", scopes: undefined, operationId: crypto.randomUUID(), ...request },
      { run, answerTo: () => undefined, warn: (_, message) => void warnings.push(message), ...performance },
      { timers: clock, random: () => 0.5 },
    );
  return { clock, store, warnings, send };
}

const never = async (): Promise<HttpResponse> => {
  throw new Error("This ran, and must not have.");
};
const codeOf = async (answer: Promise<unknown>) =>
  answer.then(
    () => "none",
    (error: unknown) => (error instanceof ProblemError ? error.code : String(error)),
  );

/** A store that answers as it is told, and as the memory where it is not. */
const changed = (store: IdempotencyStore, change: Partial<IdempotencyStore>): IdempotencyStore => ({ ...store, ...change });
const down = () => Promise.reject(new Error("The store is down."));

describe("performIdempotent", () => {
  it("runs the first and replays to the others", async () => {
    const { send } = stage();
    const first = await send(async () => made("a"));
    const again = await send(never);
    expect([first.headers["idempotent-replayed"], first.body]).toEqual([undefined, "a"]);
    expect([again.headers["idempotent-replayed"], again.body]).toEqual(["true", "a"]);
  });

  it("refuses another fingerprint, done or in flight", async () => {
    const { send } = stage();
    const first = send(async () => {
      expect(await codeOf(send(never, { fingerprint: "g" }))).toBe("IDEMPOTENCY_KEY_REUSED");
      return made("a");
    });
    await first;
    expect(await codeOf(send(never, { fingerprint: "g" }))).toBe("IDEMPOTENCY_KEY_REUSED");
  });

  it("refuses while the first is in flight, with Retry-After", async () => {
    const { send } = stage();
    await send(async () => {
      const problem = await send(never).catch((error: unknown) => error);
      expect(problem).toMatchObject({ code: "IDEMPOTENCY_KEY_IN_FLIGHT", status: 409, headers: { "retry-after": "1" } });
      return made("a");
    });
  });

  it("waits as long as it may, in pauses that grow, and then refuses", async () => {
    const pauses: number[] = [];
    const { send, clock } = stage({ waitMs: 1_200, leaseMs: 5_000 });
    let refused = "";
    await send(
      async () => {
        const waiting = codeOf(send(never)).then((code) => {
          refused = code;
        });
        let last = clock.now();
        while (refused === "") {
          await sleep(1);
          if (clock.pending === 0) continue;
          while (clock.pending > 0) clock.advance(1);
          pauses.push(clock.now() - last);
          last = clock.now();
        }
        await waiting;
        return made("a");
      },
      {},
      {},
    );
    expect(pauses).toEqual([50, 100, 200, 400, 400, 50]);
    expect(refused).toBe("IDEMPOTENCY_KEY_IN_FLIGHT");
  });

  it("replays to a request that has waited", async () => {
    const { send, clock } = stage({ waitMs: 1_000 });
    let waiting: Promise<HttpResponse> | undefined;
    await send(async () => {
      waiting = send(never);
      await sleep(1);
      return made("a");
    });
    while (clock.pending > 0) clock.advance(50);
    expect((await waiting)?.body).toBe("a");
  });

  it("replays only to who has the scopes of the first", async () => {
    const { send } = stage();
    await send(async () => made("a"), { scopes: ["read", "write"] });
    expect((await send(never, { scopes: ["write", "read", "more"] })).body).toBe("a");
    expect(await codeOf(send(never, { scopes: ["read"] }))).toBe("FORBIDDEN");
    expect(await codeOf(send(never))).toBe("FORBIDDEN");
  });

  it("forgets a refusal, so that another request may have the key", async () => {
    const { send } = stage();
    const refusal = new ProblemError("VALIDATION_FAILED", "No.");
    await expect(send(() => Promise.reject(refusal))).rejects.toBe(refusal);
    expect((await send(async () => made("b"), { fingerprint: "g" })).body).toBe("b");
  });

  it.each<[string, () => Promise<HttpResponse>]>([
    ["an error", () => Promise.reject(new Error("No."))],
    ["a problem of 503", () => Promise.reject(new ProblemError("STORAGE_UNAVAILABLE", "No."))],
    ["an answer of 500", async () => made("no", 500)],
  ])("gives %s back to the same request only, under the same operation id", async (_, fail) => {
    const { send } = stage();
    const ids: string[] = [];
    const noting =
      (run: () => Promise<HttpResponse>) =>
      ({ operationId }: HeldOperation) => {
        ids.push(operationId);
        return run();
      };
    await send(noting(fail)).catch(() => {});
    expect(await codeOf(send(never, { fingerprint: "g" }))).toBe("IDEMPOTENCY_KEY_REUSED");
    expect((await send(noting(async () => made("b")))).body).toBe("b");
    expect(ids[1]).toBe(ids[0]);
  });

  it("holds the key of a failure until its lease ends where the store cannot shorten a lease", async () => {
    const { store, clock, ...rest } = stage();
    const ids: string[] = [];
    const { send } = stage({ store: { begin: store.begin, complete: store.complete, abandon: store.abandon } });
    const noting =
      (answer: HttpResponse): Performance["run"] =>
      async ({ operationId }) => {
        ids.push(operationId);
        return answer;
      };
    await send(noting(made("no", 500)));
    expect([await codeOf(send(never)), rest.warnings]).toEqual(["IDEMPOTENCY_KEY_IN_FLIGHT", []]);
    clock.advance(1_001);
    expect((await send(noting(made("b")))).body).toBe("b");
    expect(ids[1]).toBe(ids[0]);
  });

  it("keeps an error that is an answer, and throws it", async () => {
    const { send } = stage();
    const taken = new ProblemError("DUPLICATE_EMAIL", "Taken.");
    await expect(send(() => Promise.reject(taken), {}, { answerTo: () => made("taken", 422) })).rejects.toBe(taken);
    expect(await send(never)).toMatchObject({ status: 422, body: "taken" });
  });

  it("keeps a 5xx where it is told to", async () => {
    const { send } = stage({ storeServerErrors: true });
    await send(async () => made("no", 502));
    expect(await send(never)).toMatchObject({ status: 502, body: "no" });
  });

  it("keeps what `keeps` says, and takes another answer below 500 for a refusal", async () => {
    const { send } = stage();
    const keeps = (status: number) => status === 409;
    expect((await send(async () => made("no", 404), {}, { keeps })).body).toBe("no");
    expect((await send(async () => made("taken", 409), { fingerprint: "g" }, { keeps })).body).toBe("taken");
    expect((await send(never, { fingerprint: "g" })).body).toBe("taken");
  });

  it("asks `isRefusal` whether an error says that nothing was done", async () => {
    const { send } = stage();
    await send(() => Promise.reject(new Error("No.")), {}, { isRefusal: () => true }).catch(() => {});
    expect((await send(async () => made("b"), { fingerprint: "g" })).body).toBe("b");
  });

  it("lets the next request take over when the lease is over; the slower one is told so and does not begin again", async () => {
    const { send, clock } = stage();
    const ids: string[] = [];
    const slow = send(async ({ operationId }) => {
      ids.push(operationId);
      clock.advance(1_001);
      const fast = await send(async (held) => {
        ids.push(held.operationId);
        return made("fast");
      });
      expect(fast.headers["idempotent-replayed"]).toBeUndefined();
      return made("slow");
    });
    expect(await codeOf(slow)).toBe("IDEMPOTENCY_KEY_IN_FLIGHT");
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(await send(never)).toMatchObject({ body: "fast", headers: { "idempotent-replayed": "true" } });
  });

  it("runs an operation no more often than it is asked to where each attempt loses its lease", async () => {
    const { store } = stage();
    const { send } = stage({ store: changed(store, { complete: async () => false }) });
    let runs = 0;
    const run = async () => {
      runs += 1;
      return made("a");
    };
    expect([await codeOf(send(run)), runs]).toEqual(["IDEMPOTENCY_KEY_IN_FLIGHT", 1]);
  });

  it("leaves no trace of a try that has lost its lease when it records", async () => {
    const { send, clock, store } = stage();
    let committed = 0;
    const slow = send(async ({ record }) => {
      clock.advance(1_001);
      await send(async () => made("fast"));
      await record(store, made("slow"));
      committed += 1;
      return made("slow");
    });
    expect([await codeOf(slow), committed]).toEqual(["IDEMPOTENCY_KEY_IN_FLIGHT", 0]);
  });

  it("does not record an answer twice", async () => {
    const { send, store } = stage();
    let completions = 0;
    const counted = changed(store, {
      complete: (...complete) => {
        completions += 1;
        return store.complete(...complete);
      },
    });
    await stage({ store: counted }).send(async ({ record }) => {
      const answer = made("a");
      await record(counted, answer);
      return answer;
    });
    expect([completions, (await send(never)).body]).toEqual([1, "a"]);
  });

  it("fails while the store is down, or runs without the guarantee where it is told to", async () => {
    const { store } = stage();
    const closed = stage({ store: changed(store, { begin: down }) });
    await expect(closed.send(never)).rejects.toThrow("The store is down.");
    const open = stage({ store: changed(store, { begin: down }), failOpen: true });
    expect([(await open.send(async () => made("a"))).body, open.warnings.length]).toEqual(["a", 1]);
  });

  it.each<[string, Partial<IdempotencyStore>, () => Promise<HttpResponse>]>([
    ["complete", { complete: down }, async () => made("a")],
    ["renew", { renew: down }, async () => made("a", 500)],
    ["abandon", { abandon: down }, () => Promise.reject(new ProblemError("FORBIDDEN", "No."))],
  ])("answers the client and warns when %s fails", async (method, change, run) => {
    const { send, warnings } = stage({ store: changed(memoryIdempotency(), change) });
    const answer = await send(run).catch((error: unknown) => error);
    expect([answer instanceof ProblemError ? "problem" : (answer as HttpResponse).body, warnings.length]).toEqual([
      method === "abandon" ? "problem" : "a",
      1,
    ]);
  });

  it("is a new operation once the record has expired", async () => {
    const { send, clock } = stage();
    const ids: string[] = [];
    const run = async ({ operationId }: HeldOperation) => made(String(ids.push(operationId)));
    await send(run);
    clock.advance(10_000);
    expect((await send(run, { fingerprint: "g" })).body).toBe("2");
    expect(ids[1]).not.toBe(ids[0]);
  });
});
