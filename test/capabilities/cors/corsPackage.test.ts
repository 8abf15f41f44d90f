import { createService, defineResource } from "restwright";
import { type CorsOptions, cors } from "restwright/cors";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";

/*
 * The behaviours that the tests of the package `cors` 2.8.6 for Express name, asked of `cors()` of restwright. Those that differ by design are the second table; docs/cors.md
 * lists them with their reasons.
 */

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });
const origin = "https://request.example";
const asked = { origin, "access-control-request-method": "PATCH", "access-control-request-headers": "x-first, x-second" };

/** The headers of the answers to a preflight and to a GET. */
async function answers(options: CorsOptions, headers: Readonly<Record<string, string>> = asked) {
  const service = createService({ resources: [notes], storage: memoryStorage(), logger: false, use: [cors(options)] });
  onTestFinished(() => service.close());
  const send = clientOf(service);
  const preflight = await send({ method: "OPTIONS", target: "/notes", headers });
  const read = await send({ target: "/notes", headers: headers["origin"] === undefined ? {} : { origin: headers["origin"] } });
  return { preflight, read };
}

const allowed = (answer: { readonly headers: Readonly<Record<string, unknown>> }) => answer.headers["access-control-allow-origin"];
const corsHeaders = (answer: { readonly headers: object }) => Object.keys(answer.headers).filter((name) => name.startsWith("access-control-"));

describe("like the package cors", () => {
  test("the options are not changed", () => {
    const options = Object.freeze({ origins: Object.freeze([origin]), allowHeaders: Object.freeze(["X-Own"]) });
    expect(() => cors(options)).not.toThrow();
  });

  test("a request passes to the API, and a preflight does not", async () => {
    const { preflight, read } = await answers({ origins: "*" });
    expect([preflight.status, preflight.text, read.status, read.json.data]).toEqual([204, "", 200, []]);
  });

  test("all origins are allowed without credentials and without methods in an answer that is no preflight", async () => {
    const { preflight, read } = await answers({ origins: "*" });
    expect([allowed(preflight), allowed(read)]).toEqual(["*", "*"]);
    expect(corsHeaders(read).toSorted()).toEqual(["access-control-allow-origin", "access-control-expose-headers"]);
  });

  test.each<[string, CorsOptions["origins"], boolean]>([
    ["a regular expression", [/^https:\/\/(.+\.)?request\.example$/], true],
    ["a list with a text that is equal", [/https:\/\/foo\.example/, origin], true],
    ["a list of others", [/https:\/\/foo\.example/, "https://bar.example"], false],
    ["a function that returns true", (sent) => sent === origin, true],
    ["a function that returns false", () => false, false],
    ["a function that resolves to true", async () => true, true],
  ])("an origin is compared with %s", async (_, origins, isAllowed) => {
    const { preflight, read } = await answers({ origins });
    for (const answer of [preflight, read]) {
      expect(allowed(answer)).toBe(isAllowed ? origin : undefined);
      expect(answer.headers["vary"]).toBe("Origin");
      if (!isAllowed) expect(corsHeaders(answer)).toEqual([]);
    }
  });

  test("a function is asked for every request", async () => {
    const service = createService({
      resources: [notes],
      storage: memoryStorage(),
      logger: false,
      use: [cors({ origins: (sent) => sent === origin })],
    });
    onTestFinished(() => service.close());
    const send = clientOf(service);
    expect(allowed(await send({ target: "/notes", headers: { origin } }))).toBe(origin);
    expect(corsHeaders(await send({ target: "/notes", headers: { origin: "https://invalid.example" } }))).toEqual([]);
  });

  test("Vary is extended, not replaced", async () => {
    const verifier = { scheme: "Bearer", challenge: () => "Bearer", verify: () => ({ id: "ada" }) };
    const service = createService({
      resources: [notes],
      storage: memoryStorage(),
      logger: false,
      auth: [verifier],
      use: [cors({ origins: [origin] })],
    });
    onTestFinished(() => service.close());
    expect((await clientOf(service)({ target: "/notes", headers: { origin } })).headers["vary"]).toBe("Authorization, Origin");
  });

  test.each([
    [undefined, "600"],
    [456, "456"],
    [0, "0"],
  ])("the age %s is %s in a preflight, and in no other answer", async (maxAgeSeconds, age) => {
    const { preflight, read } = await answers({ origins: "*", maxAgeSeconds });
    expect([preflight.headers["access-control-max-age"], read.headers["access-control-max-age"]]).toEqual([age, undefined]);
  });

  test.each([true, false])("credentials are allowed if that is said: %s", async (credentials) => {
    const { preflight, read } = await answers({ origins: [origin], credentials });
    for (const { headers } of [preflight, read]) expect(headers["access-control-allow-credentials"]).toBe(credentials ? "true" : undefined);
  });

  test("headers of its own are allowed in a preflight and exposed in an answer", async () => {
    const { preflight, read } = await answers({ origins: "*", allowHeaders: ["X-First", "X-Second"], exposeHeaders: ["X-Third"] });
    expect(preflight.headers["access-control-allow-headers"]).toMatch(/, X-First, X-Second$/);
    expect(read.headers["access-control-expose-headers"]).toMatch(/, X-Third$/);
    expect(preflight.headers).not.toHaveProperty("access-control-expose-headers");
    expect(read.headers).not.toHaveProperty("access-control-allow-headers");
  });

  test("an error of the API has the headers", async () => {
    const service = createService({ resources: [notes], storage: memoryStorage(), logger: false, use: [cors({ origins: [origin] })] });
    onTestFinished(() => service.close());
    const refused = await clientOf(service)({ method: "POST", target: "/notes", headers: { origin }, body: { text: 1 } });
    expect([refused.status, allowed(refused)]).toEqual([422, origin]);
  });
});

describe("unlike the package cors", () => {
  test("headers that were not named are not allowed because a page asks for them", async () => {
    const { preflight } = await answers({ origins: "*" });
    expect(preflight.headers["access-control-allow-headers"]).not.toMatch(/x-first/i);
    expect(preflight.headers["vary"] ?? "").not.toContain("Access-Control-Request-Headers");
  });

  test("methods are those of the path, not of an option", async () => {
    const { preflight } = await answers({ origins: "*" });
    expect(String(preflight.headers["access-control-allow-methods"]).split(", ")).toEqual(expect.arrayContaining(["GET", "HEAD", "POST", "OPTIONS"]));
  });

  test("a text is compared with the origin, and not sent to every page", async () => {
    const { read } = await answers({ origins: ["https://other.example"] });
    expect(corsHeaders(read)).toEqual([]);
  });

  test("a regular expression must match the whole origin", async () => {
    const { read } = await answers({ origins: [/request\.example/] });
    expect(allowed(read)).toBeUndefined();
  });

  test("an OPTIONS that is no preflight is the API's own, with Allow", async () => {
    const { preflight } = await answers({ origins: "*" }, { origin });
    expect([preflight.status, preflight.headers["access-control-allow-methods"]]).toEqual([204, undefined]);
    expect(preflight.headers["allow"]).toContain("POST");
  });

  test("a 204 has no Content-Length", async () => {
    expect((await answers({ origins: "*" })).preflight.headers).not.toHaveProperty("content-length");
  });

  test.each<[string, unknown]>([
    ["no options", undefined],
    ["origin: true, which reflects every origin", { origins: true }],
    ["origin: false", { origins: false }],
    ["a wildcard with credentials", { origins: "*", credentials: true }],
    ["optionsSuccessStatus", { origins: "*", optionsSuccessStatus: 200 }],
    ["preflightContinue", { origins: "*", preflightContinue: true }],
    ["methods", { origins: "*", methods: ["GET"] }],
    ["headers in one text", { origins: "*", allowHeaders: "X-First,X-Second" }],
    ["a function of the request that returns options", () => ({ origins: "*" })],
  ])("%s is an error at start-up", (_, options) => {
    expect(() => cors(options as CorsOptions)).toThrow(/^cors/);
  });
});
