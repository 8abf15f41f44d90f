import { memoryIdempotency } from "restwright/memory";
import { describe, expect, it } from "vitest";
import { ClientGone } from "../../../src/ground/http/clientGone.js";
import type { HttpResponse } from "../../../src/ground/http/message.js";
import { ConfigurationError, ProblemError } from "../../../src/ground/problem/index.js";
import { createGuard, type GuardedOperation } from "../../../src/parts/idempotency/guard.js";
import type { GuardedRequest } from "../../../src/parts/idempotency/guardedRequest.js";
import type { GuardOptions } from "../../../src/parts/idempotency/guardOptions.js";

const key = "0123456789abcdef";
const request = (change: Partial<GuardedRequest> = {}): GuardedRequest => ({
  method: "POST",
  target: "/charges?",
  headers: ["Idempotency-Key", key, "Content-Type", "application/json"],
  principal: () => ({ id: "ada" }),
  body: async () => ({ kind: "parsed", value: { amount: 5 } }),
  ...change,
});
const made = async (): Promise<HttpResponse> => ({ status: 201, headers: {}, body: "made" });
const never = async (): Promise<HttpResponse> => {
  throw new Error("This ran, and must not have.");
};
const guardOf = (options: Partial<GuardOptions> = {}) => createGuard({ store: memoryIdempotency(), ...options });
const problemOf = (response: HttpResponse | undefined) => JSON.parse(String(response?.body));

describe("a guard", () => {
  it.each<[string, Partial<GuardedRequest>]>([
    ["without a key", { headers: [] }],
    ["of a safe method", { method: "GET" }],
    ["of an unknown method", { method: "QUERY" }],
    ["with a repeated header and no key", { headers: ["Content-Type", "a/b", "Content-Type", "c/d"] }],
  ])("has nothing to say to a request %s, and asks nothing", async (_, change) => {
    const untouched = { principal: never as never, body: never as never };
    expect(await guardOf()(request({ ...untouched, ...change }), never)).toBeUndefined();
  });

  it("asks for the body only when everything else is in order", async () => {
    const body = never as never;
    expect((await guardOf()(request({ headers: ["idempotency-key", "short"], body }), never))?.status).toBe(400);
    expect((await guardOf({ required: true })(request({ headers: [], body }), never))?.status).toBe(400);
    expect((await guardOf({ anonymous: "refuse" })(request({ principal: () => null, body }), never))?.status).toBe(401);
    expect((await guardOf()(request({ headers: ["Idempotency-Key", key, "Idempotency-Key", key], body }), never))?.status).toBe(400);
  });

  it.each([
    [new ProblemError("PAYLOAD_TOO_LARGE", "Too large."), 413],
    [new ClientGone(), 408],
  ])("answers %s of the body", async (error, status) => {
    expect((await guardOf()(request({ body: () => Promise.reject(error) }), never))?.status).toBe(status);
  });

  it("answers a problem of the principal, and leaves other errors to the host", async () => {
    const refused = request({ principal: () => Promise.reject(new ProblemError("UNAUTHENTICATED", "The token has expired.")) });
    expect((await guardOf()(refused, never))?.status).toBe(401);
    const error = new Error("The directory is down.");
    await expect(guardOf()(request({ principal: () => Promise.reject(error) }), never)).rejects.toBe(error);
  });

  it.each([undefined, null, "", 7])("does not let principals with the id %j share keys", async (id) => {
    const principal = (() => ({ id })) as unknown as GuardedRequest["principal"];
    await expect(guardOf()(request({ principal }), never)).rejects.toThrow(ConfigurationError);
  });

  it("does not let principals with an empty tenant share keys", async () => {
    const principal = () => ({ id: "ada", tenant: "" });
    await expect(guardOf()(request({ principal }), never)).rejects.toThrow('that of "principal" has the "tenant" "".');
  });

  it("keeps tenants, principals and callers without credentials apart", async () => {
    const guard = guardOf();
    const callers = [undefined, { id: "ada" }, { id: "anonymous" }, { id: "ada", tenant: "a" }, { id: "ada", tenant: "b" }];
    const ids = new Set<string>();
    for (const caller of [...callers, ...callers]) {
      await guard(request({ principal: () => caller }), async ({ operationId }: GuardedOperation) => {
        ids.add(operationId);
        return made();
      });
    }
    expect(ids.size).toBe(callers.length);
  });

  it("replays only to who has the scopes of the first", async () => {
    const guard = guardOf();
    await guard(request({ principal: () => ({ id: "ada", scopes: ["charge"] }) }), made);
    const response = await guard(request({ principal: () => ({ id: "ada", scopes: [] }) }), never);
    expect([response?.status, problemOf(response).code]).toEqual([403, "FORBIDDEN"]);
  });

  it("hands on what the handler throws, also a problem", async () => {
    const problem = new ProblemError("FORBIDDEN", "Not this card.");
    await expect(guardOf()(request(), () => Promise.reject(problem))).rejects.toBe(problem);
    await expect(
      guardOf()(request(), () => {
        throw problem;
      }),
    ).rejects.toBe(problem);
  });

  it.each([
    [{ status: 402 }, false],
    [{ statusCode: 404 }, false],
    [{ status: 503 }, true],
    [{ status: 200 }, true],
    [{ status: "400" }, true],
    [{}, true],
  ])("takes an error with %j for a failure that is kept where 5xx are: %j", async (facts, isKept) => {
    const guard = guardOf({ storeServerErrors: true });
    await guard(request(), () => Promise.reject(Object.assign(new Error("No."), facts))).catch(() => {});
    const again = await guard(request(), made);
    expect([again?.status, again?.headers["idempotent-replayed"]]).toEqual(isKept ? [500, "true"] : [201, undefined]);
  });

  it("runs a handler once for one request, even where its lease was lost and the key is free again", async () => {
    const memory = memoryIdempotency();
    let completions = 0;
    const store = {
      ...memory,
      complete: async (...complete: Parameters<typeof memory.complete>) => ++completions > 1 && memory.complete(...complete),
    };
    let runs = 0;
    const guard = guardOf({
      store: {
        ...store,
        async complete(id, operationId, attempt, response) {
          if (completions === 0) await memory.abandon(id, operationId, attempt);
          return store.complete(id, operationId, attempt, response);
        },
      },
    });
    const own = { status: 201, headers: {}, body: "own" };
    const answer = await guard(request(), async () => {
      runs += 1;
      return own;
    });
    expect([answer === own, runs, completions]).toEqual([true, 1, 2]);
    expect((await guard(request(), never))?.body).toBe("own");
  });

  it("removes what has expired now and then, beside a request, and says where that fails", async () => {
    let nowMs = 0;
    let purges = 0;
    const messages: string[] = [];
    const purge = () => (++purges === 1 ? Promise.resolve(0) : Promise.reject(new Error("The store is busy.")));
    const guard = guardOf({ store: { ...memoryIdempotency(), purge }, now: () => nowMs, onError: (_, message) => void messages.push(message) });
    for (const minutes of [0, 9, 10, 11, 20]) {
      nowMs = minutes * 60_000;
      expect((await guard(request(), made))?.status).toBe(201);
    }
    expect([purges, messages.length]).toEqual([2, 1]);
  });

  it("echoes the request id, and names the page that explains the codes", async () => {
    const headers = ["Idempotency-Key", "short", "X-Request-ID", "req-1"];
    const response = await guardOf({ problemDocs: "https://example.com/problems" })(request({ headers }), never);
    expect([response?.headers["x-request-id"], problemOf(response).requestId, problemOf(response).type]).toEqual([
      "req-1",
      "req-1",
      "https://example.com/problems#IDEMPOTENCY_KEY_INVALID",
    ]);
  });

  it.each<[Partial<GuardOptions>, string]>([
    [{ leaseMs: 0 }, 'createGuard: "leaseMs" must be a whole number of at least 1; got 0.'],
    [{ ttlMs: 1 }, '"ttlMs" must be a whole number of at least 60000 milliseconds; got 1.'],
    [{ waitMs: -1 }, 'createGuard: "waitMs" must be a whole number of at least 0; got -1.'],
    [{ waitMs: Number.NaN }, 'createGuard: "waitMs" must be a whole number of at least 0; got NaN.'],
    [
      { store: {} as GuardOptions["store"] },
      'createGuard: "store" must be a store of idempotency records, such as memoryIdempotency(); got an object.',
    ],
  ])("does not start with %j", (options, message) => {
    expect(() => guardOf(options)).toThrow(new ConfigurationError(message));
  });
});
