// @slow

import { createServer, type RequestListener } from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { createService, defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { ProblemError } from "../../../../src/ground/problem/index.js";
import { authenticate } from "../../../../src/parts/auth/authenticate.js";
import { bearerJwt, type JwksRefresh } from "../../../../src/parts/auth/jwt/index.js";
import { listen, type RunningHost } from "../../../adapters/hosts/host.js";
import { clientOf } from "../../../tools/client.js";
import { eventually } from "../../../tools/eventually.js";
import { authRequest } from "../authRequest.js";
import { audience, claims, issuer, makePair, now, type Pair, signToken } from "./tokens.js";

let [first, second]: readonly Pair[] = [];
let endpoint: RunningHost;
let answer: RequestListener;
/** How often the key set was requested. */
let loads = 0;
/** How long each load may take. A test ends that time itself: a real one of a few milliseconds would end loads that succeed, on a busy machine. */
const limits: { readonly ms: number; readonly end: () => void }[] = [];
let useRealTime = () => {};

beforeAll(async () => {
  [first, second] = [await makePair("RS256", "first"), await makePair("ES256", "second")];
});
beforeEach(async () => {
  loads = 0;
  limits.length = 0;
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController();
    limits.push({ ms, end: () => controller.abort(new DOMException("The time is over.", "TimeoutError")) });
    return controller.signal;
  });
  useRealTime = () => timeout.mockRestore();
  answer = publish(first);
  endpoint = await listen(
    createServer((request, response) => {
      loads += 1;
      answer(request, response);
    }),
  );
});
afterEach(async () => {
  useRealTime();
  await endpoint.close();
});

const publish =
  (...pairs: readonly (Pair | undefined)[]): RequestListener =>
  (_request, response) =>
    void response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: pairs.map((pair) => pair?.jwk) }));

const text =
  (body: string, status = 200): RequestListener =>
  (_request, response) =>
    void response.writeHead(status, { location: "/elsewhere" }).end(body);

const silence: RequestListener = () => {};

/** Ends the time of the load that is under way, when its client has had what was sent before. */
const endTime = () => void setTimeout(() => limits.at(-1)?.end(), 20);

function setUp(refresh: JwksRefresh = {}) {
  const clock = { ms: now * 1_000, now: () => clock.ms };
  const reasons: unknown[] = [];
  const jwks = `http://127.0.0.1:${endpoint.port}/jwks.json`;
  const verifier = bearerJwt({ jwks, refresh, issuer, audience, clock, onError: (error) => reasons.push(error) });
  /** `in`, or the status of the problem and its Retry-After. */
  const send = async (token: string) => {
    try {
      return (await authenticate([verifier], authRequest({ Authorization: `Bearer ${token}` })))?.id === "alice" ? "in" : "another principal";
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const wait = error.headers["retry-after"];
      return wait === undefined ? `${error.status}` : `${error.status} ${error.code} ${String(wait)}`;
    }
  };
  return { clock, verifier, send, reasons };
}

function tokenOf(pair: Pair | undefined, kid?: string): Promise<string> {
  if (pair === undefined) throw new Error("The keys have not been made.");
  const { alg = "", kid: own = "" } = pair.jwk;
  return signToken(pair.privateKey, { alg, kid: kid ?? own }, { ...claims, exp: now + 1_000_000 });
}

const down = "503 AUTHENTICATION_UNAVAILABLE 5";

describe("the keys behind a URL", () => {
  test("are loaded with the first token, and once for many at the same time", async () => {
    const { send } = setUp();
    expect(loads).toBe(0);
    const token = await tokenOf(first);
    expect(await Promise.all(Array.from({ length: 20 }, () => send(token)))).toEqual(Array.from({ length: 20 }, () => "in"));
    expect(loads).toBe(1);
  });

  test("are loaded again for a key that is unknown, after the cool-down", async () => {
    const { send, clock } = setUp();
    expect(await send(await tokenOf(first))).toBe("in");
    answer = publish(second, first);
    expect([await send(await tokenOf(second)), loads]).toEqual(["401", 1]);
    clock.ms += 30_000;
    expect([await send(await tokenOf(second)), loads]).toEqual(["in", 2]);
    expect([await send(await tokenOf(first)), loads]).toEqual(["in", 2]);
  });

  test("are loaded once a cool-down in a flood of unknown keys", async () => {
    const { send, clock } = setUp();
    expect(await send(await tokenOf(first))).toBe("in");
    for (let round = 0; round < 3; round++) {
      clock.ms += 30_000;
      const flood = Array.from({ length: 50 }, async (_, index) => send(await tokenOf(second, `unknown-${round}-${index}`)));
      expect(new Set(await Promise.all(flood))).toEqual(new Set(["401"]));
    }
    expect(loads).toBe(4);
  });

  test("that were withdrawn are refused when the set is old", async () => {
    const { send, clock } = setUp({ maxAgeSeconds: 100 });
    expect(await send(await tokenOf(first))).toBe("in");
    answer = publish(second);
    clock.ms += 100_000;
    expect([await send(await tokenOf(first)), loads]).toEqual(["in", 1]);
    clock.ms += 1;
    expect([await send(await tokenOf(first)), loads]).toEqual(["401", 2]);
  });

  test("that were withdrawn are refused when the clock was set back", async () => {
    const { send, clock } = setUp({ maxAgeSeconds: 100 });
    expect(await send(await tokenOf(first))).toBe("in");
    answer = publish(second);
    clock.ms -= 100_001;
    expect([await send(await tokenOf(first)), loads]).toEqual(["401", 2]);
  });

  test("are loaded again for a key that is unknown when the clock was set back", async () => {
    const { send, clock } = setUp();
    expect(await send(await tokenOf(first))).toBe("in");
    answer = publish(second, first);
    clock.ms -= 60_000;
    expect([await send(await tokenOf(second)), loads]).toEqual(["in", 2]);
  });
});

/** Ends with the connection only, which the reader closes. */
async function* endless() {
  for (;;) {
    yield "a".repeat(50_000);
    await sleep(1);
  }
}

describe("an endpoint that fails", () => {
  const faults: readonly (readonly [string, RequestListener])[] = [
    ["answers 500", text("broken", 500)],
    ["redirects", text("", 302)],
    ["answers with no JSON", text("<html>")],
    ["answers with other JSON", text("[]")],
    ["answers null", text("null")],
    ["has a set of texts", text('{"keys":["a"]}')],
    ["has no keys", text('{"keys":[]}')],
    ["has a set that is too long", text(`{"keys":[{"kty":"${"a".repeat(300_000)}"}]}`)],
    ["sends without end", (_request, response) => void pipeline(endless(), response).catch(() => {})],
    ["closes the connection", (request) => void request.socket.destroy()],
    ["breaks off", (request, response) => void response.write('{"keys":[', () => request.socket.destroy())],
    ["does not answer", endTime],
    ["does not end its answer", (_request, response) => void response.write('{"keys":[', endTime)],
  ];

  test.each(faults)("and %s is 503 with Retry-After, bounded in time, and is not asked by every request", async (_, fault) => {
    answer = fault;
    const { send, clock } = setUp({ timeoutMs: 150 });
    const token = await tokenOf(first);
    expect(await Promise.all([send(token), send(token)])).toEqual([down, down]);
    expect(limits.map(({ ms }) => ms)).toEqual([150]);
    clock.ms += 1_000;
    expect(await Promise.all(Array.from({ length: 20 }, () => send(token)))).toEqual(
      Array.from({ length: 20 }, () => "503 AUTHENTICATION_UNAVAILABLE 4"),
    );
    expect(loads).toBe(1);
    answer = publish(first);
    clock.ms += 4_000;
    expect([await send(token), loads]).toEqual(["in", 2]);
  });

  test.each(faults)("and %s leaves the keys of its last good answer in use", async (_, fault) => {
    const { send, clock, reasons } = setUp({ timeoutMs: 150, maxAgeSeconds: 100 });
    const token = await tokenOf(first);
    expect(await send(token)).toBe("in");
    answer = fault;
    clock.ms += 100_001;
    expect([await send(token), loads, reasons.length]).toEqual(["in", 2, 1]);
    expect(await Promise.all([send(token), send(token)])).toEqual(["in", "in"]);
    expect(loads).toBe(2);
    clock.ms += 5_000;
    expect(await send(token)).toBe("in");
    await eventually(() => expect([loads, reasons.length]).toEqual([3, 2]));
    answer = publish(second);
    clock.ms += 5_000;
    expect(await send(token)).toBe("in");
    await eventually(async () => expect(await send(token)).toBe("401"));
    expect(loads).toBe(4);
  });

  test("is not waited for longer than the time it has", async () => {
    useRealTime();
    answer = silence;
    const { send } = setUp({ timeoutMs: 50 });
    expect(await send(await tokenOf(first))).toBe(down);
  });

  test("delays one request when its keys are old, and no later one", async () => {
    const { send, clock, reasons } = setUp({ maxAgeSeconds: 100 });
    const token = await tokenOf(first);
    expect(await send(token)).toBe("in");
    answer = text("", 500);
    clock.ms += 100_001;
    expect([await send(token), reasons.length]).toEqual(["in", 1]);
    answer = silence;
    clock.ms += 5_000;
    expect([await send(token), await send(token)]).toEqual(["in", "in"]);
    await eventually(() => expect(loads).toBe(3));
    expect(reasons.length).toBe(1);
  });

  test("makes an unknown key 503, as it may be a new one, without being asked by every request", async () => {
    const { send, clock } = setUp({ timeoutMs: 150 });
    expect(await send(await tokenOf(first))).toBe("in");
    answer = text("", 500);
    clock.ms += 30_000;
    const unknown = await tokenOf(second);
    expect([await send(unknown), await send(unknown), loads]).toEqual([down, down, 2]);
    expect(await send(await tokenOf(first))).toBe("in");
  });

  test("because a key of it cannot be used is 503", async () => {
    if (first === undefined) throw new Error("The keys have not been made.");
    const { n: modulus = "", ...rest } = first.jwk;
    const broken = { kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "second" };
    const unusable = [{ ...rest, n: modulus.slice(0, 170) }, { ...rest, n: "AQAB" }, { ...rest }, { ...first.jwk, kty: "oct", k: "AAAA" }];
    for (const jwk of unusable) {
      answer = text(JSON.stringify({ keys: [jwk, broken] }));
      const { send } = setUp();
      expect(await send(await tokenOf(second))).toMatch(/^503 AUTHENTICATION_UNAVAILABLE/);
      expect(await send(await tokenOf(first))).toMatch(/^(401|503 AUTHENTICATION_UNAVAILABLE \d+)$/);
    }
    answer = text(JSON.stringify({ keys: [{ ...rest, n: modulus.slice(0, 170), kid: "weak" }, first.jwk] }));
    expect(await setUp().send(await signToken(first.privateKey, { alg: "RS256" }, { ...claims, exp: now + 60 }))).toBe("in");
  });

  test("does not keep a request from its other challenges, and a JWT that is malformed from its 401", async () => {
    answer = text("", 500);
    const { send } = setUp();
    expect([await send("a.b.c"), await send("opaque"), loads]).toEqual(["401", "401", 0]);
  });
});

test("a service answers 503, logs the cause once a request, and answers again when the endpoint does", async () => {
  answer = text("", 500);
  const { verifier, clock } = setUp();
  const logged: unknown[] = [];
  const logger = { error: (facts: unknown) => logged.push(facts), warn() {}, info() {}, debug() {} };
  const things = defineResource("things", { schema: z.object({ id: z.int() }), generated: { id: "increment" } });
  const service = createService({ resources: [things], storage: memoryStorage(), logger, auth: [verifier] });
  const send = clientOf(service);
  const headers = { authorization: `Bearer ${await tokenOf(first)}` };
  const refused = await send({ target: "/things", headers });
  expect([refused.status, refused.json.code, refused.headers["retry-after"]]).toEqual([503, "AUTHENTICATION_UNAVAILABLE", "5"]);
  expect(refused.text).not.toContain("status 500");
  expect(logged).toEqual([
    expect.objectContaining({ err: expect.objectContaining({ cause: expect.objectContaining({ message: expect.stringContaining("status 500") }) }) }),
  ]);
  answer = publish(first);
  clock.ms += 5_000;
  expect((await send({ target: "/things", headers })).status).toBe(200);
  await service.close();
  await sleep(0);
});
