import { describe, expect, test } from "vitest";
import { OperationsStage } from "./operationsStage.js";

const entry = (position: number) => ({ position, value: { index: position, status: 201 } });

describe("GET of a job", () => {
  test("shows a job that waits", async () => {
    const stage = new OperationsStage();
    await stage.create({ id: "a b" });
    const { status, headers, json } = await stage.send({ target: "/batches/a%20b", mount: "/v1" });
    expect([status, headers["content-type"], headers["retry-after"]]).toEqual([200, "application/json", "1"]);
    expect(json).toMatchObject({ id: "a b", type: "test", status: "queued", progress: 0, result: null, error: null });
    expect(json.links).toEqual({ self: "/v1/batches/a%20b", cancel: "/v1/batches/a%20b/cancel" });
  });

  test("shows a job that is completed, and no hint to poll again", async () => {
    const stage = new OperationsStage();
    const id = await stage.create({ progress: { processed: 0, total: 2, counts: {} } });
    const { lease } = await stage.claim();
    await stage.store.advance(lease, { processed: 2, total: 2, counts: { succeeded: 2, failed: 0 }, cursor: null, entries: [entry(0), entry(1)] });
    await stage.store.finish(lease, { status: "completed" });
    const { headers, json } = await stage.send({ target: `/batches/${id}` });
    expect(headers["retry-after"]).toBeUndefined();
    expect(json).toMatchObject({ status: "completed", progress: 1, processedRows: 2, totalRows: 2 });
    expect(json.result).toEqual({
      results: [entry(0).value, entry(1).value],
      summary: { total: 2, succeeded: 2, failed: 0 },
    });
    expect(json.links).toEqual({ self: `/batches/${id}` });
  });

  test("answers 304 until the job has changed, and hints when to look again", async () => {
    const stage = new OperationsStage();
    const target = `/batches/${await stage.create()}`;
    const first = await stage.send({ target });
    const poll = { target, headers: { "if-none-match": String(first.headers["etag"]) } };
    stage.clock.advance(30_000);
    const second = await stage.send(poll);
    expect([second.status, second.text, second.headers]).toEqual([304, "", { etag: first.headers["etag"], "retry-after": "3" }]);
    await stage.claim();
    const third = await stage.send(poll);
    expect([third.status, third.json.status]).toEqual([200, "processing"]);
    expect(third.headers["etag"]).not.toBe(first.headers["etag"]);
  });

  test("has the same body as long as it has the same tag", async () => {
    const stage = new OperationsStage();
    const target = `/batches/${await stage.create()}`;
    const { lease } = await stage.claim();
    await stage.store.advance(lease, { processed: 10, total: 100, counts: {}, rate: 3, cursor: 1 });
    const [first, , second] = [await stage.send({ target }), stage.clock.advance(7_000), await stage.send({ target })];
    expect(first.json.estimatedCompletion).not.toBeNull();
    expect([second.headers["etag"], second.text]).toEqual([first.headers["etag"], first.text]);
  });

  test("pages through entries", async () => {
    const stage = new OperationsStage();
    const id = await stage.create();
    const { lease } = await stage.claim();
    const entries = [0, 1, 2, 3, 4].map(entry);
    await stage.store.advance(lease, { processed: 5, total: 5, counts: { succeeded: 5 }, cursor: null, entries });
    const pages: unknown[] = [];
    for (let target: string | undefined = `/batches/${id}?utm=x`; target !== undefined; ) {
      const { json } = await stage.send({ target });
      pages.push(json.result.results.map(({ index }: { index: number }) => index));
      target = json.links.next;
    }
    expect(pages).toEqual([[0, 1], [2, 3], [4]]);
  });

  test.each([
    ["after=-1", "INVALID_VALUE"],
    ["after=", "INVALID_VALUE"],
    ["after=1e3", "INVALID_VALUE"],
    ["after=9999999999999999", "INVALID_VALUE"],
    ["after=1&after=2", "REPEATED_PARAMETER"],
    ["page=1", "UNKNOWN_FIELD"],
    ["after=%zz", "MALFORMED_QUERY"],
  ])("refuses ?%s with %s", async (query, code) => {
    const stage = new OperationsStage();
    const { status, json } = await stage.send({ target: `/batches/${await stage.create()}?${query}` });
    expect([status, json.code]).toEqual([400, code]);
  });

  test("knows no pages where the kind shows no entries, but its own members and links", async () => {
    const stage = new OperationsStage({
      entriesPerPage: undefined,
      describe: ({ counts }, entries, self) => ({
        result: { ...counts, entries: entries.length },
        members: { resume: null },
        links: { errors: `${self}/errors` },
      }),
    });
    const id = await stage.create({ progress: { processed: 1, total: 1, counts: { created: 1 } }, entries: [entry(0)] });
    const { json } = await stage.send({ target: `/batches/${id}` });
    expect(json).toMatchObject({ result: { created: 1, entries: 0 }, resume: null });
    expect(json.links.errors).toBe(`/batches/${id}/errors`);
    expect((await stage.send({ target: `/batches/${id}?after=1` })).status).toBe(400);
  });
});

describe("a job of others", () => {
  const tenant = "t1";

  test.each([
    ["its owner", { id: "ann", tenant }, 200],
    ["an admin of its tenant", { id: "root", tenant, scopes: ["admin"] }, 200],
    ["somebody else of its tenant", { id: "bob", tenant }, 404],
    ["a namesake in another tenant", { id: "ann", tenant: "t2" }, 404],
    ["a namesake without a tenant", { id: "ann" }, 404],
    ["an admin of another tenant", { id: "root", tenant: "t2", scopes: ["admin"] }, 404],
  ])("answers %s by %j with %d", async (_who, as, expected) => {
    const stage = new OperationsStage();
    const id = await stage.create({ tenant });
    const target = `/batches/${id}`;
    expect((await stage.send({ target, as })).status).toBe(expected);
    if (expected === 200) return;
    const missing = await stage.send({ target: "/batches/none", as });
    for (const sent of [{ target }, { target, method: "DELETE" }, { target: `${target}/cancel`, method: "POST" }]) {
      expect((await stage.send({ ...sent, as })).text.replaceAll(id, "none")).toBe(missing.text);
    }
    expect((await stage.get(id)).status).toBe("queued");
  });

  test("is not found under the path of another kind", async () => {
    const stage = new OperationsStage();
    const id = await stage.create({ type: "import" });
    expect((await stage.send({ target: `/batches/${id}` })).status).toBe(404);
  });

  test.each(["%00", "a%00b", "%F0%9F%98%80", "x".repeat(5_000)])("is not found under an id that none has: %s", async (id) => {
    const { status, text } = await new OperationsStage().send({ target: `/batches/${id}` });
    expect([status, text.length < 400]).toEqual([404, true]);
  });
});

describe("the answer to a request that has become a job", () => {
  test("is 202 with the address of the job", async () => {
    const stage = new OperationsStage();
    const id = await stage.create();
    const { status, headers, json } = await stage.accepted(id);
    expect([status, headers["location"], headers["retry-after"]]).toEqual([202, `/v1/batches/${id}`, "1"]);
    expect(json).toMatchObject({ id, status: "queued" });
  });

  test("has an absolute address where the service knows its own, and links relative to the origin", async () => {
    const stage = new OperationsStage();
    const id = await stage.create();
    const { headers, json } = await stage.accepted(id, "https://api.example.com/v1");
    expect([headers["location"], json.links.self]).toEqual([`https://api.example.com/v1/batches/${id}`, `/v1/batches/${id}`]);
  });
});
