import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ApiError, type ClientOptions, createClient, NotFoundError, UnexpectedAnswerError } from "restwright/client";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ShopService } from "./shopStage.js";

type Shop = ReturnType<typeof createClient<ShopService>>;

/** A client, and the requests that it has sent; each gets the same answer. */
function clientOf(answer: () => Response, options: object = {}) {
  const requests: Request[] = [];
  const fetch = async (request: Request) => {
    requests.push(request);
    return answer();
  };
  const given: ClientOptions = { baseUrl: "http://shop.test/v1", fetch, ...options };
  return { shop: createClient<ShopService>(given as never), requests };
}

const json = (value: unknown) => () => new Response(JSON.stringify(value), { headers: { "content-type": "application/json" } });

describe("Options that cannot work", () => {
  test.each([undefined, {}, { baseUrl: undefined }])("an address is needed: %j", (options) => {
    expect(() => createClient<ShopService>(options as never)).toThrow(new TypeError('createClient needs "baseUrl".'));
  });

  test.each(["timeoutMs", "maxRetries", "maxRetryAfterMs"])("%s must be a number", async (name) => {
    expect(() => clientOf(json({}), { [name]: "30s" })).toThrow(new TypeError(`createClient: "${name}" is 30s, but may be a number from 0.`));
    const { shop, requests } = clientOf(json({}));
    await expect(shop.users.get(7, { [name]: Number.NaN })).rejects.toThrow(
      new TypeError(`users.get: "${name}" is NaN, but may be a number from 0.`),
    );
    expect(requests).toHaveLength(0);
  });

  test.each([Number.POSITIVE_INFINITY, 2 ** 31])("a time limit of %d ms is not over at once", async (timeoutMs) => {
    const later = () => new Promise<Response>((resolve) => setTimeout(() => resolve(json({ id: 7 })()), 50));
    const { shop } = clientOf(later as never, { timeoutMs, maxRetries: 0 });
    expect(await shop.users.get(7)).toEqual({ id: 7 });
  });

  test.each([{ baseUrl: "/v1" }, { credentials: "Include" }])("%j is an error of the program, and is not tried again", async (options) => {
    const { shop, requests } = clientOf(json({}), options);
    await expect(shop.users.get(7)).rejects.toThrow(TypeError);
    expect(requests).toHaveLength(0);
  });
});

test.each<[string, object]>([
  ["total", { total: Number.NaN }],
  ["total", { total: Number.POSITIVE_INFINITY }],
  ["at", { at: new Date(Number.NaN) }],
  ["1", { lines: [1, -Infinity] }],
])("A body with a value that JSON would make null is not sent: %s", async (name, body) => {
  const { shop, requests } = clientOf(json({}));
  await expect(shop.users.update(7, body as never)).rejects.toThrow(`"${name}" is `);
  expect(requests).toHaveLength(0);
});

test("A problem without a status has that of its answer", async () => {
  const answer = () => new Response('{"title":"Gone astray"}', { status: 404, headers: { "content-type": "application/problem+json" } });
  const error = await clientOf(answer)
    .shop.users.get(7)
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NotFoundError);
  expect((error as ApiError).status).toBe(404);
});

test.each([
  ["POST", 301, (shop: Shop) => shop.users.create({ name: "Ada", email: "a@b.co" })],
  ["PATCH", 303, (shop: Shop) => shop.users.update(7, { name: "Ada" })],
  ["PUT", 303, (shop: Shop) => shop.users.replace(7, { name: "Ada", email: "a@b.co" })],
  ["DELETE", 303, (shop: Shop) => shop.users.remove(7)],
] as const)("A redirected %s is not repeated as a GET, whose answer would pass for the row", async (verb, status, call) => {
  const methods: (string | undefined)[] = [];
  const server = createServer(({ method, url = "" }, response) => {
    methods.push(method);
    if (url.startsWith("/new")) response.setHeader("content-type", "application/json").end("[]");
    else response.writeHead(status, { location: `/new${url}` }).end();
  }).listen(0);
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const shop = createClient<ShopService>({ baseUrl: `http://127.0.0.1:${port}/v1` } as never);
  const error = await call(shop).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UnexpectedAnswerError);
  expect((error as Error).message).toContain(`Unexpected answer, status ${status}: /new/v1/users`);
  expect(methods).toEqual([verb]);
  expect(await shop.users.get(7)).toEqual([]);
});

test("An empty 200 is no row and no page", async () => {
  const { shop } = clientOf(() => new Response("", { status: 200 }));
  await expect(shop.users.get(7)).rejects.toThrow(UnexpectedAnswerError);
  await expect(shop.users.list({})).rejects.toThrow("Unexpected answer, status 200");
});

test("A page of a proxy is no file of an export", async () => {
  const { shop } = clientOf(() => new Response("<h1>Log in</h1>", { headers: { "content-type": "text/html; charset=utf-8" } }));
  await expect(shop.users.export().blob()).rejects.toThrow("Unexpected answer, status 200: <h1>Log in</h1>");
  await expect(shop.users.export()[Symbol.asyncIterator]().next()).rejects.toThrow(UnexpectedAnswerError);
});

test.each([
  ["people.csv", "application/vnd.ms-excel", "text/csv"],
  ["PEOPLE.CSV", "", "text/csv"],
  ["people", "text/csv", "text/csv"],
  ["people.ndjson", "", "application/x-ndjson"],
])("The name of an imported file says its format before its type does: %s, %s", async (name, type, expected) => {
  const { shop, requests } = clientOf(json({ id: "1" }));
  await shop.users.import(new File(["name\nAda\n"], name, { type }));
  expect(requests[0]?.headers.get("content-type")).toBe(expected);
});
