import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { Retryable, type Storage, Unavailable } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { clientOf, requestOf } from "../../tools/client.js";
import { cpuMsSince } from "../../tools/cpuMs.js";
import { fullService } from "../../tools/fullService.js";
import { setUp, things } from "./resources.js";

describe("a path of nobody's", () => {
  test.each(["/", "/nothing", "/things/1/more", "/things/", "/Things", "/things//1", "", "*", "things"])("%j goes on to the host", async (target) => {
    const { service } = setUp();
    expect(await service.handle(requestOf({ target }))).toBeUndefined();
  });

  test("is a 404 problem where the service says so", async () => {
    const missing = await setUp({ notFound: "problem" }).send({ target: "/nothing" });
    expect([missing.status, missing.json.code, missing.headers["content-type"]]).toEqual([404, "NOT_FOUND", "application/problem+json"]);
  });

  test("may be written percent-encoded", async () => {
    expect((await setUp().send({ target: "/%74hings" })).status).toBe(200);
  });
});

describe("a problem", () => {
  test("carries type, title, status, detail, code, the request id and its URN", async () => {
    const { send } = setUp({ problemDocs: "https://example.com/problems" });
    const { json, headers } = await send({ target: "/things/1" });
    expect(json).toEqual({
      type: "https://example.com/problems#NOT_FOUND",
      title: "Not found",
      status: 404,
      detail: 'There is no "1" in "things".',
      code: "NOT_FOUND",
      requestId: headers["x-request-id"],
      instance: `urn:uuid:${String(headers["x-request-id"])}`,
    });
    expect(headers["cache-control"]).toBe("no-store");
  });

  test.each([
    ["abc-1.2_3", "abc-1.2_3"],
    ["a".repeat(128), "a".repeat(128)],
    ["a".repeat(129), undefined],
    ["a b", undefined],
    ["é", undefined],
    ["", undefined],
  ])("X-Request-ID %j is echoed only where it is fit for it", async (sent, echoed) => {
    const { headers } = await setUp().send({ target: "/things", headers: { "X-Request-Id": sent } });
    if (echoed === undefined) expect(headers["x-request-id"]).toMatch(/^[0-9a-f-]{36}$/);
    else expect(headers["x-request-id"]).toBe(echoed);
  });
});

describe("a body", () => {
  const post = (body: unknown, headers: Record<string, string> = {}) => setUp().send({ method: "POST", target: "/things", body, headers });

  test.each([
    ["application/json", 201],
    ["application/json; charset=utf-8", 201],
    ["Application/JSON;Charset=UTF-8", 201],
    ["application/vnd.api+json", 201],
    ["text/plain", 415],
    ["text/json", 415],
    ["application/x-www-form-urlencoded", 415],
    ["application/json; charset=utf-16", 415],
    ["application/json, text/plain", 400],
    ["json", 415],
    ["", 415],
  ])("declared as %j is answered %i", async (type, status) => {
    expect((await post('{"name":"a"}', { "content-type": type })).status).toBe(status);
  });

  test("that is gzip without saying so is told so, in place of an error of the syntax", async () => {
    for (const text of ['{"name":"a"}', `{"name":"${randomBytes(300_000).toString("hex")}"}`]) {
      const { status, json } = await post(gzipSync(text), { "content-type": "application/json" });
      expect([status, json.code]).toEqual([400, "MALFORMED_JSON"]);
      expect(json.detail).toMatch(/^The body is compressed with gzip, which its Content-Encoding does not say\. Send it uncompressed/);
    }
    const { json } = await post(Buffer.from([0x1f, 0xff]), { "content-type": "application/json" });
    expect(json.detail).toBe("The body is not valid UTF-8.");
  });

  test("with a content coding is 415", async () => {
    expect((await post('{"name":"a"}', { "content-encoding": "gzip" })).status).toBe(415);
    expect((await post('{"name":"a"}', { "content-encoding": "identity" })).status).toBe(201);
  });

  test.each([
    ["", "MALFORMED_JSON"],
    ["{", "MALFORMED_JSON"],
    ["{'name':1}", "MALFORMED_JSON"],
    ['{"name":"a"}x', "MALFORMED_JSON"],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), "MALFORMED_JSON"],
    ['{"name":1e400}', "MALFORMED_JSON"],
    ['{"__proto__":{"admin":true},"name":"a"}', "MALFORMED_JSON"],
    ['{"constructor":{"prototype":{}},"name":"a"}', "MALFORMED_JSON"],
    ["[".repeat(1_000_000), "MALFORMED_JSON"],
    [`{"extra":${"[".repeat(64)}${"]".repeat(64)},"name":"a"}`, "MALFORMED_JSON"],
    [`{${Array.from({ length: 100_000 }, (_, index) => `"a${index}":1`).join()}}`, "PAYLOAD_TOO_LARGE MALFORMED_JSON"],
  ])("%.40s is refused soon", async (body, codes) => {
    const started = process.cpuUsage();
    const refused = await post(body, { "content-type": "application/json" });
    expect(cpuMsSince(started)).toBeLessThan(1_000);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(refused.status).toBeLessThan(500);
    expect(codes.split(" ")).toContain(refused.json.code);
  });

  test.each(["a\u0000b", "\ud800"])("with the text %j, which engines would change, is 422", async (name) => {
    const refused = await post(JSON.stringify({ name }));
    expect([refused.status, refused.json.errors[0].pointer]).toEqual([422, "/name"]);
  });

  test("of exactly the limit is taken, of one byte more is 413 with the maximum", async () => {
    const { send } = setUp({ limits: { jsonBodyBytes: 100 } });
    const body = (length: number) => `${JSON.stringify({ name: "a" })}${" ".repeat(length - 12)}`;
    expect((await send({ method: "POST", target: "/things", body: body(100) })).status).toBe(201);
    const refused = await send({ method: "POST", target: "/things", body: body(101) });
    expect([refused.status, refused.json.code, refused.json.maximum]).toEqual([413, "PAYLOAD_TOO_LARGE", 100]);
    const declared = await send({ method: "POST", target: "/things", body: "{}", headers: { "content-length": "101" } });
    expect(declared.status).toBe(413);
  });

  test("that the host has parsed already is taken, and judged by the same rules", async () => {
    const { service } = setUp();
    const send = (value: unknown) =>
      service.handle({
        ...requestOf({ method: "POST", target: "/things", headers: { "content-type": "application/json" } }),
        body: { kind: "parsed", value },
      });
    expect((await send({ name: "a" }))?.status).toBe(201);
    expect((await send(JSON.parse('{"__proto__":1}')))?.status).toBe(400);
    expect((await send("text"))?.status).toBe(422);
  });

  test("of GET and DELETE is ignored", async () => {
    const { send } = setUp();
    expect((await send({ target: "/things", body: "{" })).status).toBe(200);
    expect((await send({ method: "DELETE", target: "/things/1", body: "{" })).status).toBe(404);
  });
});

describe("headers", () => {
  test.each(["content-type", "authorization", "idempotency-key", "x-api-key", "if-modified-since"])("a second %s is 400", async (name) => {
    const { service } = setUp();
    const response = await service.handle({ ...requestOf({ target: "/things" }), headers: [name, "a", name.toUpperCase(), "b"] });
    expect(response?.status).toBe(400);
    expect(JSON.parse(String(response?.body))).toMatchObject({ code: "REPEATED_HEADER", errors: [{ header: name }] });
  });
});

describe("a target", () => {
  test("of exactly the limit is taken, of one byte more is 414", async () => {
    const { send } = setUp({ limits: { targetBytes: 40 } });
    const target = (length: number) => `/things?name=${"a".repeat(length - 13)}`;
    expect((await send({ target: target(40) })).status).toBe(200);
    const refused = await send({ target: target(41) });
    expect([refused.status, refused.json.code, refused.json.maximum]).toEqual([414, "URI_TOO_LONG", 40]);
  });
});

describe("a storage that fails", () => {
  /** The memory store, but for one method of its collections. */
  function failing(error: unknown): Storage {
    const storage = memoryStorage();
    return {
      ...storage,
      name: "failing",
      collection: (model) => {
        const collection = storage.collection(model);
        const fail = () => Promise.reject(error);
        return { can: collection.can, find: fail, get: fail, insert: fail, update: fail, remove: fail };
      },
    };
  }

  test.each([
    [new Unavailable("disk full at /var/secret"), 503, "STORAGE_UNAVAILABLE"],
    [new Retryable("deadlock"), 503, "STORAGE_UNAVAILABLE"],
    [new Error("bug in /home/me"), 500, "INTERNAL"],
    ["a string", 500, "INTERNAL"],
  ])("with %s answers without internals, and the logger and onError hear the cause", async (error, status, code) => {
    const heard: unknown[] = [];
    const log: unknown[] = [];
    const nothing = () => {};
    const send = clientOf(
      fullService({
        resources: [things],
        storage: failing(error),
        onError: (fault) => heard.push(fault),
        logger: { error: (facts) => log.push(facts), warn: nothing, info: nothing, debug: nothing },
      }),
    );
    const answer = await send({ target: "/things/1" });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(answer.text).not.toMatch(/secret|home|deadlock|string/);
    expect(answer.headers["retry-after"]).toBeDefined();
    expect(heard).toEqual([error]);
    expect(log).toMatchObject([{ err: error, requestId: answer.headers["x-request-id"] }]);
  });

  test("an onError or onResponse that throws costs nobody an answer", async () => {
    const hook = () => {
      throw new Error("hook");
    };
    const send = clientOf(fullService({ resources: [things], storage: failing(new Error("x")), onError: hook, onResponse: hook }));
    expect((await send({ target: "/things/1" })).status).toBe(500);
  });
});

describe("a service", () => {
  test("migrates once, and tries again after a failure", async () => {
    const storage = memoryStorage();
    let calls = 0;
    const send = clientOf(
      fullService({
        resources: [things],
        storage: {
          ...storage,
          name: "slow",
          collection: (model) => storage.collection(model),
          migrate: async () => {
            calls += 1;
            if (calls === 1) throw new Unavailable("not yet");
          },
        },
      }),
    );
    expect((await send({ target: "/things" })).status).toBe(503);
    expect((await Promise.all([send({ target: "/things" }), send({ target: "/things" })])).map(({ status }) => status)).toEqual([200, 200]);
    expect(calls).toBe(2);
  });

  test("that closes answers what is under way, refuses what is new with 503, and then closes the storage", async () => {
    let release = () => {};
    const events: string[] = [];
    const storage = memoryStorage();
    const service = fullService({
      resources: [things],
      authorize: () => new Promise((resolve) => (release = () => resolve(true))),
      storage: {
        name: "watched",
        collection: (model) => storage.collection(model),
        close: async () => void events.push("closed"),
      },
      onResponse: ({ status }) => events.push(`answered ${status}`),
    });
    const send = clientOf(service);
    const slow = send({ target: "/things" });
    await Promise.resolve();
    const closing = service.close();
    const refused = await send({ target: "/things" });
    expect([refused.status, refused.json.code, refused.headers["connection"]]).toEqual([503, "SHUTTING_DOWN", "close"]);
    expect(service.health()).toEqual({ status: "closing" });
    release();
    await Promise.all([slow, closing]);
    expect(events).toEqual(["answered 503", "answered 200", "closed"]);
  });

  test("says whether it is ready", async () => {
    const storage = memoryStorage();
    let ok = true;
    const clock = new FakeClock();
    const service = fullService({
      resources: [things],
      clock,
      probes: { health: "/health", ready: "/ready" },
      storage: {
        name: "moody",
        collection: (model) => storage.collection(model),
        ping: async () => {
          if (!ok) throw new Unavailable("down");
        },
      },
    });
    const send = clientOf(service);
    expect((await send({ target: "/ready" })).json).toEqual({ ready: true, storage: { name: "moody", ok: true } });
    ok = false;
    clock.advance(1_000);
    const down = await send({ target: "/ready" });
    expect([down.status, down.json.code]).toEqual([503, "STORAGE_UNAVAILABLE"]);
    expect((await send({ target: "/health" })).json).toEqual({ status: "ok" });
  });
});
