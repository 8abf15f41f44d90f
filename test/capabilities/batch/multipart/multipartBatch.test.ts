import { describe, expect, test } from "vitest";
import { as, openShop, outcomesOf, shopAuth, strict } from "../batchShop.js";

const boundary = "b-1";
const mixed = { "content-type": `multipart/mixed; boundary=${boundary}` };
const json = { ...mixed, accept: "application/json" };

const crlf = (...lines: readonly string[]) => lines.join("\r\n");

/** A part that is a request, under this Content-ID where one is given. */
function part(id: string | undefined, requestLine: string, body?: unknown, headers: readonly string[] = []): string {
  const own = id === undefined ? [] : [`Content-ID: <${id}>`];
  const type = body === undefined || headers.length > 0 ? [] : ["Content-Type: application/json"];
  const text = body === undefined ? "" : JSON.stringify(body);
  return crlf("Content-Type: application/http", ...own, "", requestLine, ...type, ...headers, "", text);
}

function multipart(...parts: readonly string[]): string {
  return `${parts.map((each) => `--${boundary}\r\n${each}\r\n`).join("")}--${boundary}--\r\n`;
}

/** Parts of an answer: the Content-ID, the status line, the headers and the body of each. */
function partsOf(text: string, contentType: unknown) {
  const found = /boundary=([^;]+)/.exec(String(contentType))?.[1] ?? "";
  const [before, ...parts] = text.split(`--${found}`);
  expect([before, parts.at(-1)]).toEqual(["", "--\r\n"]);
  return parts.slice(0, -1).map((each) => {
    const [head = "", inner = "", body = ""] = each.trim().split("\r\n\r\n");
    const [statusLine = "", ...headers] = inner.split("\r\n");
    return { id: /Content-ID: <(.*)>/.exec(head)?.[1], type: /Content-Type: (.*)/.exec(head)?.[1]?.trim(), statusLine, headers, body };
  });
}

const send = (shop: ReturnType<typeof openShop>, body: string, headers: Record<string, string> = mixed) =>
  shop.send({ method: "POST", target: "/batch", headers, body });

describe("a multipart batch", () => {
  test("is answered as multipart: a part for each, response-<id>, with the headers of its operation", async () => {
    const shop = openShop();
    const answer = await send(
      shop,
      multipart(
        part("ada", "POST /users HTTP/1.1", { name: "Ada" }),
        part(undefined, "GET /users/{ada.id} HTTP/1.1"),
        part("gone", "DELETE /users/{ada.data.id} HTTP/1.1"),
        part("late", "GET /users/1 HTTP/1.1"),
      ),
    );
    expect([answer.status, answer.headers["content-type"]]).toEqual([207, expect.stringMatching(/^multipart\/mixed; boundary=/)]);
    const parts = partsOf(answer.text, answer.headers["content-type"]);
    expect(parts.map(({ id, statusLine }) => [id, statusLine])).toEqual([
      ["response-ada", "HTTP/1.1 201 Created"],
      ["response-1", "HTTP/1.1 200 OK"],
      ["response-gone", "HTTP/1.1 204 No Content"],
      ["response-late", "HTTP/1.1 404 Not Found"],
    ]);
    for (const { type } of parts) expect(type).toBe("application/http");
    const [post, get, gone, late] = parts;
    expect(post?.headers).toContain("location: /users/1");
    expect(post?.headers.some((line) => line.startsWith("etag: "))).toBe(true);
    expect(JSON.parse(get?.body ?? "")).toMatchObject({ id: 1, name: "Ada" });
    expect(gone?.body).toBe("");
    expect(late?.headers).toContain("content-type: application/problem+json");
    expect(JSON.parse(late?.body ?? "")).toMatchObject({ status: 404, code: "NOT_FOUND" });
  });

  test.each([
    ["application/json", "application/json"],
    ["application/json, multipart/mixed;q=0.5", "application/json"],
    ["multipart/mixed", "multipart/mixed"],
    ["*/*", "multipart/mixed"],
    ["text/html", "multipart/mixed"],
  ])("that accepts %s is answered as %s", async (accept, type) => {
    const answer = await send(openShop(), multipart(part("a", "POST /users HTTP/1.1", { name: "Ada" })), { ...mixed, accept });
    expect([answer.status, String(answer.headers["content-type"]).split(";")[0]]).toEqual([200, type]);
    if (type === "application/json") expect(answer.json.results[0]).toMatchObject({ index: 0, name: "a", status: 201, id: 1 });
  });

  test("in JSON is answered as JSON, whatever is accepted", async () => {
    const { batch } = openShop();
    const answer = await batch([{ method: "GET", url: "/users" }], { headers: { accept: "multipart/mixed" } });
    expect(answer.headers["content-type"]).toBe("application/json");
  });

  test("may come as a form, whose fields are names", async () => {
    const field = (name: string, text: string) => `Content-Disposition: form-data; name="${name}"\r\n${text}`;
    const body = multipart(
      field("ada", part(undefined, "POST /users HTTP/1.1", { name: "Ada" })),
      field("bob", part(undefined, "GET /users/{ada.id}")),
    );
    const answer = await send(openShop(), body, { ...json, "content-type": `multipart/form-data; boundary=${boundary}` });
    expect([outcomesOf(answer), answer.json.results[1].name], answer.text).toEqual([["201", "200"], "bob"]);
  });

  test("keeps the neighbours of a part that is no request, and its Content-ID", async () => {
    const faulty = crlf("Content-Type: text/plain", "Content-ID: <bad>", "", "hello");
    const shop = openShop();
    const answer = await send(
      shop,
      multipart(
        part("a", "POST /users HTTP/1.1", { name: "Ada" }),
        faulty,
        part("after", "GET /users/{bad.id} HTTP/1.1"),
        part("broken", "POST /users HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{"),
        part("line", "NONSENSE"),
        part("b", "POST /users HTTP/1.1", { name: "Bob" }),
      ),
      json,
    );
    expect(outcomesOf(answer)).toEqual(["201", "400 INVALID_BATCH", "424 FAILED_DEPENDENCY", "400 MALFORMED_JSON", "400 INVALID_BATCH", "201"]);
    expect(answer.json.results.map(({ name }: { name: string }) => name)).toEqual(["a", "bad", "after", "broken", "line", "b"]);
  });

  test("takes Content-IDs that no reference can name, and answers them as they were", async () => {
    const answer = await send(openShop(), multipart(part("item1+user@example.org", "POST /users HTTP/1.1", { name: "Ada" })));
    const [only] = partsOf(answer.text, answer.headers["content-type"]);
    expect([only?.id, only?.statusLine]).toEqual(["response-item1+user@example.org", "HTTP/1.1 201 Created"]);
  });

  test("is atomic where it is asked to be, and says so in each part", async () => {
    const shop = openShop();
    const body = multipart(part("a", "POST /users HTTP/1.1", { name: "Ada" }), part("b", "GET /users/9 HTTP/1.1"));
    const answer = await send(shop, body, { ...mixed, ...strict });
    expect(answer.status).toBe(422);
    expect(partsOf(answer.text, answer.headers["content-type"]).map(({ statusLine }) => statusLine.split(" ")[1])).toEqual(["424", "404"]);
    expect((await shop.send({ target: "/users" })).json.data).toEqual([]);
  });

  test("drops credentials inside, and obeys conditions and types inside", async () => {
    const shop = openShop({ auth: shopAuth });
    const steps = [{ op: "replace", path: "/quantity", value: 2 }];
    const answer = await send(
      shop,
      multipart(
        part("a", "POST /users HTTP/1.1", { name: "Ada" }, ["Content-Type: application/json", "Authorization: Bearer other", "Host: evil"]),
        part("b", "PATCH /users/1 HTTP/1.1", { salary: 3 }, ["Content-Type: application/merge-patch+json", "Authorization: Bearer admin"]),
        part("c", "PATCH /users/1 HTTP/1.1", steps, ["Content-Type: application/json-patch+json"]),
        part("d", "PATCH /users/1 HTTP/1.1", steps, ["Content-Type: application/json-patch+json", 'If-Match: "old"']),
        part("e", "GET http://example.org/users HTTP/1.1"),
        part("f", "POST /users/batch HTTP/1.1", { items: [{ name: "Eve" }] }),
      ),
      { ...json, ...as("clerk") },
    );
    expect(outcomesOf(answer).map((outcome) => outcome.slice(0, 3))).toEqual(["201", "403", "200", "412", "400", "400"]);
    expect((await shop.send({ target: "/users/1", headers: as("clerk") })).json.quantity).toBe(2);
  });

  test.each([
    ["without a boundary", "multipart/mixed", multipart(part("a", "GET /users HTTP/1.1")), 400],
    ["that is empty", mixed["content-type"], `--${boundary}--\r\n`, 400],
    ["that is cut off", mixed["content-type"], multipart(part("a", "GET /users HTTP/1.1")).slice(0, -8), 400],
    ["of another kind", "multipart/related; boundary=b", "", 415],
    ["of 101 parts", mixed["content-type"], multipart(...Array.from({ length: 101 }, () => part(undefined, "GET /users HTTP/1.1"))), 413],
  ])("%s is refused as a whole", async (_, contentType, body, status) => {
    const answer = await send(openShop(), body, { "content-type": contentType });
    expect([answer.status, answer.headers["content-type"]]).toEqual([status, "application/problem+json"]);
  });

  test("under a key is replayed byte for byte", async () => {
    const shop = openShop();
    const body = multipart(part("a", "POST /users HTTP/1.1", { name: "Ada" }), part("b", "GET /users/9 HTTP/1.1"));
    const headers = { ...mixed, "idempotency-key": "0123456789abcdef" };
    const first = await send(shop, body, headers);
    const again = await send(shop, body, headers);
    expect([again.status, again.text, again.headers["content-type"]]).toEqual([207, first.text, first.headers["content-type"]]);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect((await shop.send({ target: "/users" })).json.meta.total).toBe(1);
  });
});
