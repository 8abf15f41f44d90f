import { createService, defineResource } from "restwright";
import { type CorsOptions, cors } from "restwright/cors";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";
import { clientOf, type Sent } from "../../tools/client.js";
import { fullService } from "../../tools/fullService.js";

const own = "https://api.example";
const shop = "https://shop.example";
const evil = "https://evil.example";
const form = "multipart/form-data; boundary=b";
const file = '--b\r\ncontent-disposition: form-data; name="f"; filename="f"\r\n\r\nhello\r\n--b--\r\n';

interface Case {
  readonly cors?: CorsOptions;
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a form with one file. */
async function sendForm({ cors: options, baseUrl, headers }: Case) {
  const blobs = memoryBlobs();
  const uploads = { types: "any" as const, forms: { avatars: { types: "any" as const } } };
  const use = options === undefined ? [] : [cors(options)];
  const service = fullService({ resources: [], storage: memoryStorage(), logger: false, blobs, baseUrl, uploads, more: use });
  onTestFinished(() => service.close());
  const answer = await clientOf(service)({
    method: "POST",
    target: "/avatars",
    headers: { host: "api.example", "content-type": form, ...headers },
    body: file,
  });
  return { ...answer, isKept: (await keysOf(blobs)).length > 0 };
}

describe("a form with a file", () => {
  const allowing = { origins: [shop], credentials: true };
  const basic = { authorization: "Basic YTpi" };

  test.each<[string, number, Case]>([
    ["from no browser", 201, { headers: {} }],
    ["from a page of the service", 201, { headers: { origin: own, "sec-fetch-site": "same-origin" } }],
    ["from a page of the service in an older browser", 201, { headers: { origin: own } }],
    ["from a page of the service over http behind TLS", 201, { headers: { origin: "http://api.example" } }],
    ["from a page of the service with the port of the scheme in Host", 201, { headers: { origin: own, host: "API.example:443" } }],
    ["from a page of the service with a port", 201, { headers: { origin: "http://localhost:3000", host: "localhost:3000" } }],
    ["from a page of the service over HTTP/2", 201, { headers: { origin: own, host: "api.example" } }],
    ["from a page of the service that hides its origin", 201, { headers: { origin: "null", "sec-fetch-site": "same-origin" } }],
    [
      "from a page of the service behind a proxy that replaces Host",
      201,
      { headers: { origin: own, host: "10.0.0.7:3000", "sec-fetch-site": "same-origin" } },
    ],
    ["from the origin of the base URL", 201, { baseUrl: `${own}/v1/`, headers: { origin: own, host: "10.0.0.7:3000" } }],
    ["that the user opened again", 201, { headers: { "sec-fetch-site": "none" } }],
    ["from another site", 403, { headers: { origin: evil, "sec-fetch-site": "cross-site" } }],
    ["from another site in an older browser", 403, { headers: { origin: evil } }],
    ["from another site without an origin", 403, { headers: { "sec-fetch-site": "cross-site" } }],
    ["from a subdomain", 403, { headers: { origin: "https://user.api.example", "sec-fetch-site": "same-site" } }],
    [
      "from a page of the service over http, to the service over https",
      403,
      { headers: { origin: "http://api.example", "sec-fetch-site": "same-site" } },
    ],
    ["from a subdomain without an origin", 403, { headers: { "sec-fetch-site": "same-site" } }],
    ["from another port", 403, { headers: { origin: "https://api.example:8443" } }],
    ["from a sandboxed page", 403, { headers: { origin: "null" } }],
    ["from a sandboxed page of a new browser", 403, { headers: { origin: "null", "sec-fetch-site": "cross-site" } }],
    ["from an origin that is not one", 403, { headers: { origin: "api.example" } }],
    ["from an empty origin", 403, { headers: { origin: "" } }],
    ["from an origin whose user name is the host", 403, { headers: { origin: "https://api.example@evil.example" } }],
    ["from an origin that begins like the host", 403, { headers: { origin: `${own}.evil.example` } }],
    ["from an origin without a host", 403, { headers: { origin: "file://", host: "" } }],
    ["from an origin called undefined", 403, { headers: { origin: "https://undefined", host: "" } }],
    ["from another site that the base URL is not", 403, { baseUrl: own, headers: { origin: evil, host: "10.0.0.7:3000" } }],
    ["from an allowed origin", 201, { cors: allowing, headers: { origin: shop, "sec-fetch-site": "cross-site", cookie: "a=b" } }],
    ["from an allowed origin in an older browser", 201, { cors: allowing, headers: { origin: shop } }],
    ["from an origin that a function allows", 201, { cors: { ...allowing, origins: async () => true }, headers: { origin: evil } }],
    ["from an origin that a function refuses", 403, { cors: { ...allowing, origins: async () => false }, headers: { origin: evil } }],
    [
      "from an origin about which the function fails",
      403,
      { cors: { ...allowing, origins: () => Promise.reject(new Error("down")) }, headers: { origin: evil } },
    ],
    ["from an origin that is not in the list", 403, { cors: allowing, headers: { origin: evil, "sec-fetch-site": "cross-site" } }],
    ["from another site without an origin, though one is allowed", 403, { cors: allowing, headers: { "sec-fetch-site": "cross-site" } }],
    ["from a sandboxed page, though one origin is allowed", 403, { cors: allowing, headers: { origin: "null" } }],
    ["from an allowed sandboxed page", 201, { cors: { origins: ["null"] }, headers: { origin: "null", "sec-fetch-site": "cross-site" } }],
    ["from any origin under a wildcard", 201, { cors: { origins: "*" }, headers: { origin: evil, "sec-fetch-site": "cross-site" } }],
    ["with a cookie under a wildcard", 403, { cors: { origins: "*" }, headers: { origin: evil, cookie: "session=1" } }],
    ["with a password of the browser under a wildcard", 403, { cors: { origins: "*" }, headers: { origin: evil, ...basic } }],
    ["with a Digest under a wildcard", 403, { cors: { origins: "*" }, headers: { origin: evil, authorization: ' digest username="a"' } }],
    ["with a ticket under a wildcard", 403, { cors: { origins: "*" }, headers: { origin: evil, authorization: "Negotiate YII=" } }],
    [
      "with a cookie from an origin that is allowed without credentials",
      403,
      { cors: { origins: [shop] }, headers: { origin: shop, cookie: "session=1" } },
    ],
    ["without a cookie from an origin that is allowed without credentials", 201, { cors: { origins: [shop] }, headers: { origin: shop } }],
  ])("%s is %i", async (_, status, given) => {
    const answer = await sendForm(given);
    expect([answer.status, answer.isKept]).toEqual([status, status === 201]);
    if (status === 403) expect(answer.json).toMatchObject({ code: "CROSS_SITE_REQUEST", errors: [{ header: "Origin" }] });
  });
});

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });

describe("another request from another site", () => {
  const json = "application/json";
  const note = '{"text":"a"}';

  test.each<[string, number, Omit<Sent, "headers"> & { readonly type?: string }]>([
    ["JSON, for which the browser asked first", 201, { method: "POST", target: "/notes", type: json, body: note }],
    ["JSON sent as text", 415, { method: "POST", target: "/notes", type: "text/plain", body: note }],
    ["JSON sent as text with its type as a parameter", 415, { method: "POST", target: "/notes", type: "text/plain; application/json", body: note }],
    ["JSON sent as a form", 415, { method: "POST", target: "/notes", type: "application/x-www-form-urlencoded", body: note }],
    ["an empty POST", 403, { method: "POST", target: "/batches/x/cancel" }],
    ["a text to an empty POST", 403, { method: "POST", target: "/batches/x/cancel", type: "Text/Plain;charset=utf-8" }],
    ["a type that is none", 403, { method: "POST", target: "/batches/x/cancel", type: "none" }],
    ["a file of text", 403, { method: "POST", target: "/uploads", type: "text/plain", body: "hello" }],
    ["a file of another type, for which the browser asked first", 201, { method: "POST", target: "/uploads", type: "image/x-own", body: "hello" }],
    ["a POST with an override in its query", 403, { method: "POST", target: "/notes/1?_method=DELETE" }],
    ["a read", 200, { target: "/notes" }],
    ["a DELETE, for which the browser asked first", 404, { method: "DELETE", target: "/notes/7" }],
    ["a path that the service does not have", 404, { method: "POST", target: "/nothing", type: form, body: file }],
    ["a method that the path does not have", 405, { method: "POST", target: "/files/1", type: form, body: file }],
  ])("%s is %i", async (_, status, { type, ...sent }) => {
    const blobs = memoryBlobs();
    const service = fullService({
      resources: [notes],
      storage: memoryStorage(),
      logger: false,
      notFound: "problem",
      blobs,
      uploads: { types: "any" },
    });
    onTestFinished(() => service.close());
    const headers = { host: "api.example", origin: evil, "sec-fetch-site": "cross-site", ...(type === undefined ? {} : { "content-type": type }) };
    const answer = await clientOf(service)({ ...sent, headers });
    // An override is refused by its own code until it is trusted; either way nothing runs.
    expect(answer.status).toBe(status);
  });

  test("is refused before its body is read", async () => {
    const service = createService({ resources: [notes], storage: memoryStorage(), logger: false, probes: { health: "/health" } });
    onTestFinished(() => service.close());
    let reads = 0;
    const stream = {
      async *[Symbol.asyncIterator]() {
        reads += 1;
        yield new Uint8Array(1);
      },
    };
    const { signal } = new AbortController();
    const headers = ["Content-Type", "text/plain", "Origin", evil, "Host", "api.example"];
    const response = await service.handle({
      method: "POST",
      path: "/notes",
      query: "",
      mount: "",
      headers,
      body: { kind: "stream", stream },
      signal,
      native: undefined,
    });
    expect([response?.status, reads]).toEqual([415, 0]);
  });

  test("names an origin in Host and Origin twice, or in other spellings, and gets no 5xx", async () => {
    const service = createService({ resources: [notes], storage: memoryStorage(), logger: false });
    onTestFinished(() => service.close());
    const send = clientOf(service);
    for (const origin of ["https://[::1", "https://a b", "\u0000", "https://api.example, https://api.example", "a".repeat(8_000), "https://xn--/"]) {
      for (const host of ["", "api.example", "[::1]:3000", "a/b?c#d", "@", ":80", "a:99999"]) {
        const answer = await send({ method: "POST", target: "/notes/batch-delete", headers: { origin, host } });
        expect([403, 404, 405, 415]).toContain(answer.status);
      }
    }
  });
});
