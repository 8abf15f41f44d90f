import { createService, defineResource } from "restwright";
import { type CorsOptions, cors } from "restwright/cors";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const shop = "https://shop.example";

function start(options: CorsOptions, more: Partial<Parameters<typeof createService>[0]> = {}) {
  const service = createService({ resources: [notes], storage: memoryStorage(), logger: false, use: [cors(options)], ...more });
  onTestFinished(() => service.close());
  return clientOf(service);
}

const preflight = (origin: string, target = "/notes/1", method = "PATCH") => ({
  method: "OPTIONS",
  target,
  headers: { origin, "access-control-request-method": method, "access-control-request-headers": "content-type, if-match" },
});

const namesOf = (value: unknown) => String(value).split(", ");

describe("a preflight", () => {
  test("is answered 204 with the methods of the path, names of headers and an age", async () => {
    const send = start({ origins: [shop] });
    const { status, headers, text } = await send(preflight(shop));
    expect([status, text]).toEqual([204, ""]);
    expect(headers).toMatchObject({ "access-control-allow-origin": shop, "access-control-max-age": "600", vary: "Origin" });
    expect(headers["access-control-allow-methods"]).toBe((await send({ method: "OPTIONS", target: "/notes/1" })).headers["allow"]);
    expect(namesOf(headers["access-control-allow-headers"])).toEqual(
      expect.arrayContaining(["Content-Type", "Content-Disposition", "Content-Encoding", "If-Match", "If-Range", "Idempotency-Key", "Tus-Resumable"]),
    );
    expect(namesOf(headers["access-control-allow-headers"])).toEqual(
      expect.arrayContaining(["Cache-Control", "X-Requested-With", "traceparent", "tracestate"]),
    );
    expect(headers["access-control-allow-headers"]).not.toContain("*");
    expect(headers).not.toHaveProperty("access-control-allow-credentials");
    expect(headers).not.toHaveProperty("access-control-expose-headers");
  });

  test("needs no credentials, though the service does", async () => {
    const verifier = { scheme: "Bearer", challenge: () => "Bearer", verify: () => null };
    const send = start({ origins: [shop], credentials: true }, { auth: [verifier] });
    expect(await send(preflight(shop))).toMatchObject({ status: 204, headers: { "access-control-allow-credentials": "true" } });
    const refused = await send({ target: "/notes", headers: { origin: shop } });
    expect(refused).toMatchObject({ status: 401, headers: { "access-control-allow-origin": shop, "access-control-allow-credentials": "true" } });
  });

  test("of another origin has no header that allows anything, and still depends on the origin", async () => {
    const { status, headers } = await start({ origins: [shop] })(preflight("https://other.example"));
    expect([status, headers["vary"]]).toEqual([204, "Origin"]);
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  test("of a path that the service does not serve is left to the host, or allows the page to read the 404", async () => {
    await expect(start({ origins: [shop] })(preflight(shop, "/nothing"))).rejects.toThrow("No route");
    const send = start({ origins: [shop] }, { notFound: "problem" });
    const { status, headers, text } = await send(preflight(shop, "/nothing"));
    expect(text).toBe("");
    expect(
      Object.keys(headers)
        .filter((name) => !name.startsWith("access-control-"))
        .sort(),
    ).toEqual(["vary", "x-content-type-options", "x-request-id"]);
    expect(headers["vary"]).toBe("Origin");
    expect([status, headers["access-control-allow-methods"]]).toEqual([204, "GET, HEAD, POST, PUT, PATCH, DELETE"]);
    expect(await send({ target: "/nothing", headers: { origin: shop } })).toMatchObject({
      status: 404,
      headers: { "access-control-allow-origin": shop },
    });
  });

  test("is refused while the service closes, and the page can read why", async () => {
    const service = createService({ resources: [notes], storage: memoryStorage(), logger: false, use: [cors({ origins: [shop] })] });
    await service.close();
    const { status, headers, json } = await clientOf(service)(preflight(shop));
    expect([status, json.code, headers["access-control-allow-origin"]]).toEqual([503, "SHUTTING_DOWN", shop]);
  });

  test("is only one with Origin and Access-Control-Request-Method", async () => {
    const send = start({ origins: [shop] });
    const { status, headers } = await send({ method: "OPTIONS", target: "/notes", headers: { origin: shop } });
    expect(status).toBe(204);
    expect(headers).toHaveProperty("allow");
    expect(headers).not.toHaveProperty("access-control-allow-methods");
    expect(headers).toHaveProperty("access-control-expose-headers");
  });
});

describe("an answer", () => {
  test("to an allowed origin can be read with its headers, whatever its status", async () => {
    const send = start({ origins: [shop], exposeHeaders: ["X-Own"] });
    const headers = { origin: shop };
    const created = await send({ method: "POST", target: "/notes", headers, body: { text: "a" } });
    const tag = String(created.headers["etag"]);
    const answers = [
      created,
      await send({ target: "/notes/1", headers }),
      await send({ target: "/notes/1", headers: { ...headers, "if-none-match": tag } }),
      await send({ target: "/notes/2", headers }),
      await send({ method: "POST", target: "/notes", headers, body: { text: 1 } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 304, 404, 422]);
    for (const answer of answers) {
      expect(answer.headers).toMatchObject({ "access-control-allow-origin": shop, vary: "Origin" });
      expect(namesOf(answer.headers["access-control-expose-headers"])).toEqual(expect.arrayContaining(["ETag", "Link", "X-Total-Count", "X-Own"]));
    }
  });

  test.each([undefined, "https://other.example", "null", `${shop}.evil.test`, "https://SHOP.example"])(
    "to the origin %s allows nothing, and varies",
    async (origin) => {
      const { status, headers } = await start({ origins: [shop] })({ target: "/notes", headers: origin === undefined ? {} : { origin } });
      expect([status, headers["vary"]]).toEqual([200, "Origin"]);
      expect(headers).not.toHaveProperty("access-control-allow-origin");
    },
  );

  test("to every origin is the same under a wildcard", async () => {
    const send = start({ origins: "*" });
    for (const headers of [{}, { origin: shop }, { origin: "null" }]) {
      const answer = await send({ target: "/notes", headers });
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      expect(answer.headers["access-control-expose-headers"]).toContain("ETag");
      expect(answer.headers).not.toHaveProperty("vary");
    }
  });

  test("allows nothing if the function that judges origins fails, and the log says so", async () => {
    const heard: unknown[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (_: object, message: string) => heard.push(message) };
    for (const origins of [
      async () => Promise.reject(new Error("no database")),
      () => {
        throw new Error("no database");
      },
    ]) {
      const { status, headers } = await start({ origins }, { logger })({ target: "/notes", headers: { origin: shop } });
      expect([status, headers["vary"]]).toEqual([200, "Origin"]);
      expect(headers).not.toHaveProperty("access-control-allow-origin");
    }
    expect(heard).toEqual(Array.from({ length: 2 }, () => expect.stringContaining("judges origins failed")));
  });
});

test.each<[CorsOptions["origins"], string, boolean]>([
  [["null"], "null", true],
  [[/.*/], "null", false],
  [[/https:\/\/\w+\.shop\.example/], "https://a.shop.example", true],
  [[/https:\/\/\w+\.shop\.example/], "https://a.shop.example.evil.test", false],
  [[/shop\.example/], "https://shop.example", false],
  [[/https:\/\/a|https:\/\/a\.example/], "https://a.example", true],
  [["http://localhost:5173"], "http://localhost:5173", true],
  [["http://localhost:5173"], "http://localhost:51730", false],
  [(origin) => origin.endsWith(".example"), shop, true],
  [async (origin) => origin.endsWith(".example"), shop, true],
  [async (origin) => origin.endsWith(".example"), "https://shop.test", false],
])("origins %s: %s is allowed: %s", async (origins, origin, isAllowed) => {
  const { headers } = await start({ origins })({ target: "/notes", headers: { origin } });
  expect(headers["access-control-allow-origin"]).toBe(isAllowed ? origin : undefined);
});

test.each<[string, unknown, string]>([
  ["no origins", {}, `"origins" must be "*", an array with an origin, or a function; got undefined`],
  ["an empty list", { origins: [] }, "an array with an origin"],
  ["a wildcard with credentials", { origins: "*", credentials: true }, "browsers refuse this"],
  ["a path", { origins: ["https://shop.example/"] }, `browsers send "https://shop.example"`],
  ["a host alone", { origins: ["shop.example"] }, "write scheme and host"],
  ["upper case", { origins: ["https://Shop.example"] }, `browsers send "https://shop.example"`],
  ["the port of the scheme", { origins: ["https://shop.example:443"] }, `browsers send "https://shop.example"`],
  ["a wildcard in a list", { origins: ["*"] }, "write scheme and host"],
  ["a pattern with a position", { origins: [/a/g] }, `remove the flags "g" and "y"`],
  ["a misspelled option", { origins: "*", credential: true }, `did you mean "credentials"?`],
  ["a wildcard for headers", { origins: "*", allowHeaders: ["*"] }, "the name of a header"],
  ["an age that no browser keeps", { origins: "*", maxAgeSeconds: 100_000 }, "a whole number from 0 to 86400"],
])("%s: an error at start-up says what to write", (_, options, message) => {
  expect(() => cors(options as CorsOptions)).toThrow(message);
});
