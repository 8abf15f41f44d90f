import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { ApiError, type ClientOptions, createClient, NetworkError, UnexpectedAnswerError } from "restwright/client";
import { startUpload } from "restwright/client/uploads";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ShopService } from "./shopStage.js";

/** A server, and the names of the headers of each request to it. */
function listen(answer: RequestListener) {
  const requests: { url: string; headers: Readonly<Record<string, unknown>> }[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    answer(request, response);
  }).listen(0);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const json = (value: unknown, headers: object = {}) =>
  new Response(JSON.stringify(value), { headers: { "content-type": "application/json", ...headers } });

function clientOf(options: Partial<ClientOptions>) {
  const given: ClientOptions = { baseUrl: "http://shop.test/v1", maxRetries: 0, ...options };
  return createClient<ShopService>(given as never);
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (reason: unknown) => reason,
  );

describe("Credentials and own headers", () => {
  const options = {
    auth: () => ({ "X-API-Key": "secret", Authorization: "Bearer secret" }),
    headers: { "X-Own": "own", Cookie: "a=b" },
    tenant: "acme",
  };

  test("stay with the service where a GET is redirected elsewhere, and go along where it stays", async () => {
    const bucket = listen((_, response) => response.setHeader("content-type", "application/json").end('{"id":7}'));
    const service = listen(({ url }, response) => {
      const location = url === "/v1/users/7" ? "/v2/users/7" : `${bucket.origin}/files/7?signature=x`;
      response.writeHead(url === "/v1/users/7" ? 308 : 302, { location }).end();
    });
    const fetched: string[] = [];
    const fetch = (request: Request) => {
      fetched.push(new URL(request.url).pathname);
      return globalThis.fetch(request);
    };
    expect(await clientOf({ baseUrl: `${service.origin}/v1`, fetch, ...options }).users.get(7)).toEqual({ id: 7 });
    expect(service.requests.map(({ url }) => url)).toEqual(["/v1/users/7", "/v2/users/7"]);
    for (const { headers } of service.requests)
      expect(headers).toMatchObject({ "x-api-key": "secret", authorization: "Bearer secret", "x-own": "own", "x-tenant-id": "acme" });
    expect(bucket.requests.map(({ url }) => url)).toEqual(["/files/7?signature=x"]);
    const [{ headers = {} } = {}] = bucket.requests;
    for (const name of ["x-api-key", "authorization", "cookie", "x-own", "x-tenant-id"]) expect(headers).not.toHaveProperty(name);
    // A function of the program may add credentials, so it sends nothing elsewhere.
    expect(fetched).toEqual(["/v1/users/7", "/v2/users/7"]);
  });

  test("do not come back with a redirect from elsewhere", async () => {
    const other = listen((_, response) => response.writeHead(302, { location: `${service.origin}/back` }).end());
    const service = listen(({ url }, response) => {
      if (url === "/back") response.setHeader("content-type", "application/json").end('{"id":7}');
      else response.writeHead(302, { location: other.origin }).end();
    });
    await clientOf({ baseUrl: service.origin, ...options }).users.get(7);
    expect(service.requests.at(-1)?.url).toBe("/back");
    expect(service.requests.at(-1)?.headers).not.toHaveProperty("x-api-key");
  });

  test.each([
    ["a circle", (origin: string) => `${origin}/again`],
    ["a value in the address itself", () => "data:application/json,{}"],
    ["no address", () => "http://["],
  ])("are in no request to %s, which is a NetworkError", async (_, location) => {
    const service = listen((_request, response) => response.writeHead(302, { location: location(service.origin) }).end());
    expect(await failure(clientOf({ baseUrl: service.origin, ...options }).users.get(7))).toBeInstanceOf(NetworkError);
    expect(service.requests.length).toBeLessThan(20);
  });

  test("do not go along in browsers, which hide where a redirect leads", async () => {
    const hidden = () => Object.defineProperty(new Response(null), "type", { value: "opaqueredirect" });
    const sent: Request[] = [];
    const fetch = async (request: Request) => {
      sent.push(request);
      return request.redirect === "follow" ? json({ id: 7 }) : hidden();
    };
    expect(await failure(clientOf({ fetch, ...options }).users.get(7))).toMatchObject({
      name: "UnexpectedAnswerError",
      text: "a redirect that would take cookie,x-api-key,x-own,x-tenant-id along",
    });
    expect(sent).toHaveLength(1);
    // Browsers take `Authorization` away themselves.
    const bearer = clientOf({ fetch, auth: () => ({ Authorization: "Bearer secret" }) });
    expect(await bearer.users.get(7)).toEqual({ id: 7 });
  });
});

describe("A walk ends", () => {
  const page = (cursor: string | null) => json({ data: [{ id: cursor }], meta: { nextCursor: cursor }, links: {} });

  test.each([1, 2, 3, 7])("where %d cursors lead in a circle", async (length) => {
    let calls = 0;
    const fetch = async () => page(`c${++calls % length}`);
    const walk = clientOf({ fetch }).users.walk({});
    const error = await failure(
      (async () => {
        for await (const _ of walk) if (calls > 100) throw new Error("endless");
      })(),
    );
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect((error as Error).message).toMatch(/the cursor c\d comes again/);
  });

  test("and a long one that is no circle is complete", async () => {
    let calls = 0;
    const fetch = async () => page(++calls < 500 ? `c${calls}` : null);
    expect(await clientOf({ fetch }).users.walk({}).toArray({ limit: 1_000 })).toHaveLength(500);
  });

  test.each([{}, null, [], { data: {}, meta: {} }, { data: [] }, "page"])("where the answer is no page: %j", async (answer) => {
    const fetch = async () => json(answer);
    expect(await failure(clientOf({ fetch }).users.walk({}).toArray({ limit: 10 }))).toBeInstanceOf(UnexpectedAnswerError);
  });
});

describe("Answers of a hostile service", () => {
  test.each([[[null]], ["text"], [{ a: 1 }], [[1, { detail: "d", pointer: 5 }]], [undefined]])(
    "with the faults %j are typed errors",
    async (errors) => {
      const problem = JSON.stringify({ title: "t", status: 422, detail: "d", code: "VALIDATION_FAILED", errors });
      const fetch = async () => new Response(problem, { status: 422, headers: { "content-type": "application/problem+json" } });
      const error = (await failure(clientOf({ fetch }).users.get(7))) as ApiError;
      expect(error).toBeInstanceOf(ApiError);
      expect(error.errors.every((each) => typeof each === "object" && each !== null)).toBe(true);
      expect(error.fields).toEqual({});
    },
  );

  const endless = (text: string, type: string) => {
    let sent = 0;
    const chunk = new TextEncoder().encode(text.repeat(1_000));
    const body = new ReadableStream({
      pull(controller) {
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    });
    return { answer: async () => new Response(body, { headers: { "content-type": type } }), sent: () => sent };
  };

  test("are read to their limit, and no further", async () => {
    const { answer, sent } = endless('"aaaaaaaa",', "application/json");
    const error = await failure(clientOf({ fetch: answer, maxAnswerBytes: 100_000 }).users.get(7));
    expect(error).toMatchObject({ name: "UnexpectedAnswerError", text: "longer than maxAnswerBytes" });
    expect(sent()).toBeLessThan(200_000);
  });

  test("may have lines as long as the limit", async () => {
    const { answer, sent } = endless("aaaaaaaaaa", "application/x-ndjson");
    const read = async () => {
      for await (const _ of clientOf({ fetch: answer, maxAnswerBytes: 100_000 }).users.export({}));
    };
    expect(await failure(read())).toMatchObject({ name: "UnexpectedAnswerError", text: "a line that is longer than maxAnswerBytes" });
    expect(sent()).toBeLessThan(200_000);
  });
});

describe("An upload whose service stores nothing", () => {
  test.each([
    ["of the same offset", () => "0"],
    ["without an offset", () => undefined],
    ["of no number", () => "many"],
    ["behind the end", () => "99"],
    ["that goes back and forth", (calls: number) => String(calls % 2)],
  ])("ends after some tries, with waits that grow: answers %s", async (_, offset) => {
    vi.spyOn(Math, "random").mockReturnValue(0.001);
    onTestFinished(() => void vi.restoreAllMocks());
    let pieces = 0;
    let asked = 0;
    const fetch = async ({ method }: Request) => {
      if (method === "POST") return new Response(null, { status: 201, headers: { location: "/uploads/7" } });
      if (method === "HEAD") return new Response(null, { headers: { "upload-offset": offset(++asked) ?? "0", "upload-length": "5" } });
      const to = offset(++pieces);
      return new Response(null, { status: 204, headers: to === undefined ? {} : { "upload-offset": to } });
    };
    const delays: number[] = [];
    const upload = startUpload(clientOf({ fetch }), new Blob(["hello"]), { maxRetries: 4, onRetry: ({ delayMs }) => delays.push(delayMs) });
    expect(await failure(upload.done)).toBeInstanceOf(NetworkError);
    expect(pieces).toBeLessThan(12);
    expect(delays.length).toBeGreaterThanOrEqual(4);
    expect(delays.at(-1)).toBeGreaterThan(delays.at(-4) ?? 0);
  });
});
