import { createService, type RateLimitStore, type ServiceOptions } from "restwright";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { memoryRateLimits, type RateLimitOptions, type RateLimitPolicy, rateLimit } from "restwright/rate-limit";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { things } from "../../engine/service/resources.js";
import { clientOf, requestOf, type Sent } from "../../tools/client.js";

const minute: RateLimitPolicy = { name: "minute", limit: 3, windowMs: 60_000 };
const lines: { message: string; facts: Readonly<Record<string, unknown>> }[] = [];
const note = (facts: Readonly<Record<string, unknown>>, message: string) => void lines.push({ facts, message });
const logger = { error: note, warn: note, info: note, debug: note };

function stage(limits: Partial<RateLimitOptions> = {}, options: Partial<ServiceOptions> = {}) {
  const clock = new FakeClock();
  const service = createService({
    resources: [things],
    storage: memoryStorage({ clock }),
    clock,
    timers: clock,
    logger,
    auth: [bearer((token) => (token.startsWith("t") ? { id: token } : undefined))],
    anonymous: "allow",
    probes: { health: "/health" },
    ...options,
    use: [rateLimit({ policies: [minute], ...limits }), batch(), jobs({ work: false })],
  });
  lines.length = 0;
  const send = clientOf(service);
  const as = (token: string, sent: Sent = { target: "/things" }) => send({ ...sent, headers: { authorization: `Bearer ${token}`, ...sent.headers } });
  const from = async (address: string | undefined, sent: Sent = { target: "/things" }) => {
    const response = await service.handle({ ...requestOf(sent), address });
    return response?.status;
  };
  const times = async (count: number, run: () => Promise<{ readonly status: number } | number | undefined>) => {
    const all: (number | undefined)[] = [];
    for (let index = 0; index < count; index++) {
      const answer = await run();
      all.push(typeof answer === "object" ? answer.status : answer);
    }
    return all;
  };
  return { clock, service, send, as, from, times };
}

const batchOf = (count: number, headers = {}): Sent => ({
  method: "POST",
  target: "/things/batch",
  headers,
  body: { items: Array.from({ length: count }, (_, index) => ({ name: `n${index}` })) },
});

describe("a rate limit", () => {
  test("is told with every answer, errors too, and refuses with 429 and Retry-After", async () => {
    const { as, clock } = stage();
    const first = await as("t1");
    expect(first.headers).toMatchObject({
      "x-ratelimit-limit": "3",
      "x-ratelimit-remaining": "2",
      "x-ratelimit-reset": String(clock.now() / 1_000 + 60),
      ratelimit: '"minute";r=2;t=60',
      "ratelimit-policy": '"minute";q=3;w=60',
    });
    expect((await as("t1", { target: "/things/9" })).headers["x-ratelimit-remaining"]).toBe("1");
    expect((await as("t1", { method: "POST", target: "/things", body: {} })).headers["x-ratelimit-remaining"]).toBe("0");
    clock.advance(20_500);
    const refused = await as("t1");
    expect([refused.status, refused.headers["retry-after"], refused.headers["x-ratelimit-remaining"]]).toEqual([429, "40", "0"]);
    expect(refused.json).toMatchObject({ code: "RATE_LIMITED", "violated-policies": ["minute"], detail: expect.stringContaining("40 seconds") });
    clock.advance(39_500);
    expect((await as("t1")).status).toBe(200);
  });

  test("counts principals apart, in their tenants", async () => {
    const auth = [bearer((token) => ({ id: token.slice(2), tenant: token.slice(0, 1) }))];
    const { as, times } = stage({}, { auth });
    expect(await times(4, () => as("a.x"))).toEqual([200, 200, 200, 429]);
    expect((await as("b.x")).status).toBe(200);
    expect((await as("a.y")).status).toBe(200);
  });

  test("counts callers without credentials, and with wrong ones, by their address", async () => {
    const { from, times } = stage();
    expect(await times(4, () => from("192.0.2.1"))).toEqual([200, 200, 200, 429]);
    expect(await from("192.0.2.2")).toBe(200);
    const wrong: Sent = { target: "/things", headers: { authorization: "Bearer wrong" } };
    expect(await times(4, () => from("2001:db8::1", wrong))).toEqual([401, 401, 401, 429]);
    expect(await from("2001:db8::2", wrong)).toBe(429);
    expect(await from("2001:db8:0:1::1", wrong)).toBe(401);
  });

  test("by address is counted before authentication", async () => {
    const { from, as, times } = stage({ policies: [{ ...minute, by: "address" }] });
    const right: Sent = { target: "/things", headers: { authorization: "Bearer t1" } };
    expect(await times(4, () => from("192.0.2.1", right))).toEqual([200, 200, 200, 429]);
    // A host that knows no address cannot be limited by it, and the log says so once.
    expect(await times(5, () => as("t1"))).toEqual([200, 200, 200, 200, 200]);
    expect(lines.map(({ message }) => message)).toEqual(["The host gives no address of the client: requests without credentials are not limited."]);
  });

  test("counts the client behind trusted proxies", async () => {
    const { from, times } = stage({}, { trustedHops: 1 });
    const via = (client: string): Sent => ({ target: "/things", headers: { "x-forwarded-for": client } });
    expect(await times(4, () => from("10.0.0.1", via("192.0.2.1")))).toEqual([200, 200, 200, 429]);
    expect(await from("10.0.0.1", via("203.0.113.77, 192.0.2.1"))).toBe(429);
    expect(await from("10.0.0.1", via("192.0.2.2"))).toBe(200);
  });

  test("does not count preflights, OPTIONS, probes and paths that do not exist", async () => {
    const { send, from, times } = stage({}, { notFound: "problem" });
    expect(await times(9, () => from("192.0.2.1", { method: "OPTIONS", target: "/things" }))).toEqual(Array.from({ length: 9 }, () => 204));
    expect(await times(9, () => from("192.0.2.1", { target: "/health" }))).toEqual(Array.from({ length: 9 }, () => 200));
    expect((await send({ target: "/health" })).headers["ratelimit"]).toBeUndefined();
    expect(await times(3, () => from("192.0.2.1"))).toEqual([200, 200, 200]);
  });

  test("may be one of several; the answer tells the tightest in the older headers", async () => {
    const { as, times } = stage({ policies: [{ name: "day", limit: 5, windowMs: 86_400_000, algorithm: "gcra" }, minute] });
    const first = await as("t1");
    expect([first.headers["x-ratelimit-limit"], first.headers["ratelimit"]]).toEqual(["3", '"day";r=4;t=17280, "minute";r=2;t=60']);
    expect(await times(4, () => as("t1"))).toEqual([200, 200, 429, 429]);
  });

  test("may depend on the principal", async () => {
    const limit: RateLimitPolicy["limit"] = ({ id }) => (id === "t2" ? 1 : Number.POSITIVE_INFINITY);
    const { as, times } = stage({ policies: [{ ...minute, limit }] });
    expect(await times(2, () => as("t2"))).toEqual([200, 429]);
    expect(await times(9, () => as("t1"))).toEqual(Array.from({ length: 9 }, () => 200));
  });

  test("whose function returns no number is a 500 that the log explains", async () => {
    const { as } = stage({ policies: [{ ...minute, limit: () => Number.NaN }] });
    expect((await as("t1")).status).toBe(500);
    expect(String(lines[0]?.facts["err"])).toContain('"minute" must be a whole number of at least 1, or Infinity');
  });

  test("may concern some operations, and one may cost more", async () => {
    const { as, times } = stage({ policies: [{ ...minute, operations: ["things.list", "things.read"] }], costs: { "things.list": 2 } });
    expect(await times(2, () => as("t1"))).toEqual([200, 429]);
    expect((await as("t1", { target: "/things/1" })).status).toBe(404);
    expect((await as("t1", { target: "/things/1" })).status).toBe(429);
    expect((await as("t1", { method: "POST", target: "/things", body: { name: "a" } })).status).toBe(201);
  });
});

describe("a batch", () => {
  const ten: RateLimitPolicy = { name: "minute", limit: 10, windowMs: 60_000 };

  test("costs as much as its items, and is refused as a whole", async () => {
    const { as } = stage({ policies: [ten] });
    const first = await as("t1", batchOf(6));
    expect([first.status, first.headers["x-ratelimit-remaining"]]).toEqual([200, "4"]);
    const refused = await as("t1", batchOf(5));
    expect([refused.status, refused.json.code]).toEqual([429, "RATE_LIMITED"]);
    expect((await as("t1")).json.data).toHaveLength(6);
  });

  test("of more items than the limit is admitted by a full window", async () => {
    const { as } = stage({ policies: [ten] });
    expect((await as("t1", batchOf(50))).status).toBe(200);
    expect((await as("t1")).status).toBe(429);
  });

  test("counts as the operation of its items, so that a limit of creates holds for batches too", async () => {
    const { as } = stage({ policies: [{ ...ten, limit: 3, operations: ["things.create"] }] });
    expect((await as("t1", batchOf(2))).status).toBe(200);
    expect((await as("t1", { method: "POST", target: "/things", body: { name: "z" } })).status).toBe(201);
    expect((await as("t1", { method: "POST", target: "/things", body: { name: "y" } })).status).toBe(429);
    expect((await as("t1", batchOf(1))).status).toBe(429);
    expect((await as("t1")).status).toBe(200);
  });

  const operations = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ method: "POST", url: "/things", body: { name: `m${index}` } }));

  test("of operations of all kinds is charged one by one, and a refused one is an item", async () => {
    const { as } = stage({ policies: [{ ...ten, limit: 3 }] });
    const { status, json } = await as("t1", { method: "POST", target: "/batch", body: { operations: operations(5) } });
    expect(status).toBe(207);
    expect(json.results.map((result: { status: number }) => result.status)).toEqual([201, 201, 201, 429, 429]);
    expect(json.results[3].error).toMatchObject({ code: "RATE_LIMITED", "violated-policies": ["minute"] });
  });

  test("that is atomic is rolled back if one of its operations is refused", async () => {
    const { as, clock } = stage({ policies: [{ ...ten, limit: 3 }] });
    const sent = { method: "POST", target: "/batch", headers: { prefer: "handling=strict" }, body: { operations: operations(4) } };
    expect((await as("t1", sent)).json.results.at(-1)).toMatchObject({ status: 429 });
    clock.advance(60_000);
    expect((await as("t1")).json.data).toEqual([]);
  });

  test("that becomes a job is charged when it is submitted", async () => {
    const { as, clock } = stage({ policies: [ten] });
    const later = { prefer: "respond-async" };
    const first = await as("t1", batchOf(8, later));
    expect([first.status, first.headers["x-ratelimit-remaining"]]).toEqual([202, "2"]);
    expect((await as("t1", { method: "POST", target: "/batch", headers: later, body: { operations: operations(4) } })).status).toBe(429);
    clock.advance(60_000);
    const second = await as("t1", { method: "POST", target: "/batch", headers: later, body: { operations: operations(4) } });
    expect([second.status, second.headers["x-ratelimit-remaining"]]).toEqual([202, "6"]);
  });

  test("under a key that was refused is executed by a repetition in time", async () => {
    const { as, clock } = stage({ policies: [ten] });
    const keyed = batchOf(9, { "idempotency-key": "0123456789abcdef" });
    await as("t1");
    await as("t1");
    expect((await as("t1", keyed)).status).toBe(429);
    clock.advance(60_000);
    const done = await as("t1", keyed);
    expect([done.status, done.headers["x-ratelimit-remaining"]]).toEqual([200, "1"]);
    const replay = await as("t1", keyed);
    expect([replay.status, replay.headers["idempotent-replayed"], replay.headers["x-ratelimit-remaining"]]).toEqual([200, "true", "0"]);
  });
});

describe("a store of rate limits", () => {
  const answering = memoryRateLimits();

  test("that fails is replaced by a count of the process, and the log has a line when it begins and one when it ends", async () => {
    let works = false;
    const store: RateLimitStore = {
      take(key, take) {
        if (!works) throw new Error("down");
        return answering.take(key, take);
      },
    };
    const { as, times, clock } = stage({ store });
    expect(await times(5, () => as("t1"))).toEqual([200, 200, 200, 429, 429]);
    expect((await as("t1")).headers["x-ratelimit-remaining"]).toBe("0");
    works = true;
    clock.advance(1_000);
    // What the process has let pass counts until the end of its window, although the store does not know of it.
    expect((await as("t1")).status).toBe(429);
    clock.advance(60_000);
    expect((await as("t1")).headers["x-ratelimit-remaining"]).toBe("1");
    expect(lines.map(({ message }) => message)).toEqual([
      "The store of rate limits failed; each process counts by itself until it answers again.",
      "The store of rate limits answers again.",
    ]);
  });

  test("that does not answer is waited for once, for its time, and not by every request", async () => {
    let calls = 0;
    let answer: (() => void) | undefined;
    const store: RateLimitStore = {
      async take(key, take) {
        calls += 1;
        if (answer === undefined) await new Promise<void>(() => {});
        return answering.take(`${key} again`, take);
      },
    };
    const { as, clock } = stage({ store, timeoutMs: 100 });
    const waiting = as("t1");
    await expect.poll(() => calls).toBe(1);
    clock.advance(100);
    expect((await waiting).status).toBe(200);
    for (const status of [200, 200, 429, 429]) expect((await as("t1")).status).toBe(status);
    expect(calls).toBe(1);
    clock.advance(60_000);
    answer = () => {};
    expect((await as("t1")).headers["x-ratelimit-remaining"]).toBe("2");
    expect(lines.map(({ message }) => message)).toEqual([
      "The store of rate limits failed; each process counts by itself until it answers again.",
      "The store of rate limits answers again.",
    ]);
  });

  test("in memory forgets the oldest keys beyond its number, and those whose window has ended", () => {
    const clock = new FakeClock();
    const store = memoryRateLimits({ clock, maxKeys: 3 });
    const take = (key: string) => store.take(key, { ...minute, limit: 2, cost: 1, algorithm: "fixed-window" });
    expect(["a", "b", "c", "d"].map(take)).toHaveLength(4);
    expect(take("b")).toMatchObject({ remaining: 0 });
    expect(take("a")).toMatchObject({ remaining: 1 });
    clock.advance(60_000);
    expect(take("d")).toMatchObject({ remaining: 1 });
  });
});

describe("options", () => {
  const use = (options: unknown) => () =>
    createService({ resources: [things], storage: memoryStorage(), use: [rateLimit(options as RateLimitOptions)] });

  test.each<[unknown, string]>([
    [{}, '"policies"'],
    [{ policies: [] }, '"policies" must be an array with a policy'],
    [{ policies: [{ ...minute, limits: 3 }] }, 'did you mean "limit"?'],
    [{ policies: [{ ...minute, limit: 0 }] }, '"policies[0].limit" must be a whole number of at least 1, or a function of the principal; got 0'],
    [{ policies: [{ ...minute, windowMs: 10 }] }, "from 1000 to"],
    [{ policies: [{ ...minute, name: 'a"b' }] }, "1 to 64 letters, digits, - _ and ."],
    [{ policies: [minute, minute] }, 'two policies are called "minute"'],
    [{ policies: [{ ...minute, by: "address", limit: () => 1 }] }, "before the principal is known"],
    [
      { policies: [{ ...minute, operations: ["thing.list"] }] },
      'the policy "minute" names "thing.list", which is not an operation of this service; did you mean "things.list"?',
    ],
    [{ policies: [minute], costs: { "users.*": 2 } }, '"costs" names "users.*"'],
    [{ policies: [minute], costs: { "things.list": -1 } }, "a whole number from 0"],
    [{ policies: [minute], store: {} }, "a store of rate limits, such as memoryRateLimits()"],
  ])("%j is an error at start-up", (options, message) => {
    expect(use(options)).toThrow(message);
  });

  test("are checked for two capabilities that count", () => {
    const another = { ...rateLimit({ policies: [minute] }), name: "another" };
    expect(() => createService({ resources: [things], storage: memoryStorage(), use: [rateLimit({ policies: [minute] }), another] })).toThrow(
      '"use" names two capabilities with "limitRate".',
    );
  });
});
