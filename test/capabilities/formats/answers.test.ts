import { createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { csv, formats, ndjson } from "restwright/formats";
import { jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { xml } from "restwright/xml";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { create, type Send, sender, stage } from "./stage.js";

async function withRows(): Promise<Send> {
  const { send } = stage();
  await create(send, { name: "Ann", age: 3, address: { city: "Bonn" }, tags: ["a", "b"] });
  await create(send, { name: "=1+1", age: null });
  return send;
}

const accept = (value: string) => ({ headers: { Accept: value } });

describe("the format of a list", () => {
  test.each([
    [undefined, "application/json"],
    ["", "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["text/csv", "text/csv; charset=utf-8"],
    ["text/*", "text/csv; charset=utf-8"],
    ["application/*", "application/json"],
    ["application/x-ndjson", "application/x-ndjson"],
    ["application/jsonl", "application/jsonl"],
    ["text/csv, application/json", "application/json"],
    ["text/csv, application/json;q=0.9", "text/csv; charset=utf-8"],
    ["application/xml", "application/xml; charset=utf-8"],
    ["text/xml;q=0.5", "text/xml; charset=utf-8"],
    ["application/xml;q=0.5, */*;q=0.1", "application/xml; charset=utf-8"],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "application/json"],
    ["application/json;q=0, */*", "text/csv; charset=utf-8"],
  ])("Accept: %s is answered as %s", async (value, type) => {
    const send = await withRows();
    for (const target of ["/users", "/users"]) {
      const { status, headers } = await send(target, value === undefined ? {} : accept(value));
      expect([status, headers["content-type"], headers["vary"]]).toEqual([200, type, "Accept"]);
    }
  });

  test.each(["image/png", "text/html", "application/vnd.shop+json", "*/*;q=0"])("Accept: %s is 406", async (value) => {
    const { status, headers, json } = await (await withRows())("/users", accept(value));
    expect([status, json.code, headers["content-type"], headers["vary"]]).toEqual([406, "NOT_ACCEPTABLE", "application/problem+json", "Accept"]);
    expect(json.supported).toEqual([
      "application/json",
      "text/csv",
      "application/x-ndjson",
      "application/ndjson",
      "application/jsonl",
      "application/xml",
      "text/xml",
    ]);
  });

  test("of a collection that does not accept XML is never XML, nor is one row CSV", async () => {
    const send = await withRows();
    for (const [target, type] of [
      ["/orders", "application/xml"],
      ["/users/1", "text/csv"],
      ["/searches", "application/xml"],
    ] as const) {
      const method = target === "/searches" ? "POST" : "GET";
      expect([target, (await send(target, { ...accept(type), method })).json.code]).toEqual([target, "NOT_ACCEPTABLE"]);
    }
  });

  test("has the same page in every format, with its links and its total", async () => {
    const send = await withRows();
    const target = "/users?fields=id,name,address{city}&sort=-id&perPage=1&count=exact";
    const json = await send(target);
    const [row] = json.json.data;
    expect((await send(target, accept("text/csv"))).text).toBe(`id,name,address.city\r\n2,'=1+1,\r\n`);
    expect((await send(target, accept("application/x-ndjson"))).text).toBe(`${JSON.stringify(row)}\n`);
    for (const type of ["text/csv", "application/x-ndjson", "application/xml"]) {
      const { headers } = await send(target, accept(type));
      expect([headers["link"], headers["x-total-count"]]).toEqual([json.headers["link"], json.headers["x-total-count"]]);
    }
    expect((await send(target, accept("text/xml"))).text).toContain("<list xmlns:xsi=");
  });

  test("holds for QUERY, searches and lists below a row", async () => {
    const send = await withRows();
    const json = { "Content-Type": "application/json", Accept: "text/csv" };
    const body = JSON.stringify({ filter: { name: "Ann" }, fields: ["name"] });
    expect((await send("/users", { method: "QUERY", headers: json, body })).text).toBe("name\r\nAnn\r\n");
    const search = JSON.stringify({ collection: "users", filter: { name: "Ann" }, fields: ["name"] });
    expect((await send("/searches", { method: "POST", headers: json, body: search })).text).toBe("name\r\nAnn\r\n");
    expect((await send("/users/1/orders", accept("text/csv"))).text).toBe("id,userId\r\n");
    expect((await send("/users?include=orders&fields=name", accept("text/csv"))).text).toBe("name,orders\r\nAnn,[]\r\n'=1+1,[]\r\n");
  });

  test("has a tag of its own, and 304 and HEAD", async () => {
    const send = await withRows();
    const tags = new Set<string>();
    for (const type of ["application/json", "text/csv", "application/x-ndjson", "application/xml"]) {
      const { headers, text } = await send("/users", accept(type));
      const tag = headers["etag"] ?? "";
      tags.add(tag);
      const again = await send("/users", { headers: { Accept: type, "If-None-Match": tag } });
      expect([again.status, again.headers["vary"]]).toEqual([304, "Accept"]);
      const head = await send("/users", { method: "HEAD", headers: { Accept: type } });
      expect([head.status, head.headers["content-length"], head.text]).toEqual([200, String(Buffer.byteLength(text)), ""]);
    }
    expect(tags.size).toBe(4);
  });
});

describe("one row in XML", () => {
  test("has a tag of its own, which works for writes", async () => {
    const send = await withRows();
    const json = await send("/users/1");
    const { headers, text } = await send("/users/1", accept("application/xml"));
    expect(headers["etag"]).toBe(json.headers["etag"]?.replace(/"$/, '.xml"'));
    expect(text).toContain("<user xmlns:xsi=");
    expect((await send("/users/1", { headers: { Accept: "application/xml", "If-None-Match": headers["etag"] ?? "" } })).status).toBe(304);
    expect((await send("/users/1", { headers: { "If-None-Match": headers["etag"] ?? "" } })).status).toBe(200);
    const patch = { method: "PATCH", body: '{"age":4}' };
    const type = { "Content-Type": "application/merge-patch+json", Accept: "application/xml", "If-Match": headers["etag"] ?? "" };
    const changed = await send("/users/1", { ...patch, headers: type });
    expect([changed.status, changed.headers["etag"]?.endsWith('.xml"'), changed.text.includes("<age>4</age>")]).toEqual([200, true, true]);
    expect((await send("/users/1", { ...patch, headers: type })).status).toBe(412);
  });

  test("with fields and relations has tags of their views", async () => {
    const send = await withRows();
    const plain = await send("/users/1?fields=name", accept("application/xml"));
    expect(plain.headers["etag"]).toMatch(/^"\w+\.[0-9a-f]{8}\.xml"$/);
    expect(plain.text).toMatch(/<user [^>]+><name>Ann<\/name><\/user>$/);
    const included = await send("/users/1?fields=name&include=orders", accept("application/xml"));
    expect(included.headers["content-type"]).toBe("application/xml; charset=utf-8");
    expect(included.text).toMatch(/<name>Ann<\/name><orders type="array"><\/orders><\/user>$/);
  });
});

describe("an unacceptable answer", () => {
  test("is refused before a row is written, read or validated", async () => {
    const send = await withRows();
    const headers = { "Content-Type": "application/json", Accept: "image/png" };
    const before = (await send("/users?count=exact")).json.meta.total;
    expect((await send("/users", { method: "POST", headers, body: "{" })).status).toBe(406);
    expect((await send("/users", { method: "POST", headers, body: '{"name":"x","age":1}' })).status).toBe(406);
    expect((await send("/users/1", { method: "PUT", headers, body: "{}" })).status).toBe(406);
    expect((await send("/users?count=exact")).json.meta.total).toBe(before);
  });

  test("of a DELETE does not matter: it has none", async () => {
    const answer = await (await withRows())("/users/1", { method: "DELETE", headers: { Accept: "image/png" } });
    expect([answer.status, answer.headers["vary"]]).toEqual([204, undefined]);
  });

  test("of an operation that negotiates by itself, and of probes, is left to them", async () => {
    const service = createService({
      resources: [],
      storage: memoryStorage(),
      logger: false,
      probes: { health: "/health" },
      use: [batch(), jobs(), formats({ use: [csv()] })],
    });
    const send = sender(service);
    expect((await send("/health", accept("text/html"))).status).toBe(200);
    const job = await send("/batches/1", accept("text/csv"));
    expect([job.status, job.headers["vary"]]).toEqual([404, "Accept"]);
  });

  test("problems are JSON whatever Accept says", async () => {
    const { status, headers } = await (await withRows())("/users/99", accept("application/xml"));
    expect([status, headers["content-type"]]).toEqual([404, "application/problem+json"]);
  });
});

describe("the capability", () => {
  const schema = z.object({ id: z.int(), name: z.string() });
  const make = (accepts: readonly ("json" | "form" | "xml")[], use: readonly ReturnType<typeof formats>[]) => () =>
    createService({ resources: [defineResource("users", { schema, accepts })], storage: memoryStorage(), logger: false, use });

  test("is needed for accepts, and XML must be in use", () => {
    expect(make(["json"], [])).not.toThrow();
    expect(make(["form"], [])).toThrow('add formats() of "restwright/formats" to "use"');
    expect(make(["form"], [formats()])).not.toThrow();
    expect(make(["xml"], [formats()])).toThrow('add xml() of "restwright/xml" to "use" of formats()');
    expect(() => formats({ use: [csv(), csv()] })).toThrow('names "csv" twice');
    expect(() => xml({ roots: { users: "a b" } })).toThrow("roots");
  });

  test("without it Accept is ignored", async () => {
    const service = createService({ resources: [defineResource("users", { schema })], storage: memoryStorage(), logger: false });
    const { status, headers } = await sender(service)("/users", accept("text/csv"));
    expect([status, headers["content-type"], headers["vary"]]).toEqual([200, "application/json", undefined]);
  });

  test("lists without an envelope are a list of items", async () => {
    const service = createService({
      resources: [defineResource("people", { schema: z.object({ id: z.string(), name: z.string() }), accepts: ["xml"] })],
      storage: memoryStorage(),
      logger: false,
      lists: { envelope: "none" },
      use: [formats({ use: [ndjson(), xml({ roots: { people: "person" } })] })],
    });
    const send = sender(service);
    const body = "<person><id>a</id><name>A</name></person>";
    const created = await send("/people", { method: "POST", headers: { "Content-Type": "text/xml", Accept: "text/xml" }, body });
    expect([created.status, created.text.endsWith(`><id>a</id><name>A</name></person>`)]).toEqual([201, true]);
    expect((await send("/people", accept("text/xml"))).text).toMatch(/<list [^>]+><item><id>a<\/id><name>A<\/name><\/item><\/list>$/);
  });
});
