import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import type { CachePolicyClass, PolicyRequest, PolicyResponse } from "./cachePolicy.js";
import { as, asJson, auth, judgeSite, type Site } from "./judgeSite.js";

const require = createRequire(import.meta.url);
const CachePolicy = require("http-cache-semantics") as CachePolicyClass;

const open = judgeSite();
const closed = judgeSite({ auth });

describe("http-cache-semantics", () => {
  /** A request and its real answer, as policies take them. */
  async function exchange(at: Site, path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
    const { method = "GET", headers = {}, body } = init;
    const answer = await fetch(`${at.origin}${path}`, body === undefined ? { method, headers } : { method, headers, body });
    const text = await answer.text();
    const asked: PolicyRequest = { method, url: path, headers: { ...headers, host: new URL(at.origin).host } };
    const answered: PolicyResponse = { status: answer.status, headers: Object.fromEntries(answer.headers) };
    return { asked, answered, text, policy: (shared: boolean) => new CachePolicy(asked, answered, { shared }) };
  }

  const search = { method: "POST", headers: asJson, body: '{"collection":"notes"}' };
  const cases = [
    ["a row", open, "/notes/judged", {}, 200, true, true],
    ["a view of a row", open, "/notes/judged?fields=text", {}, 200, true, true],
    ["the head of a row", open, "/notes/judged", { method: "HEAD" }, 200, true, true],
    ["a list", open, "/notes", {}, 200, true, true],
    ["a row of a caller", closed, "/notes/judged", { headers: as("bob") }, 200, false, true],
    ["a list of a caller", closed, "/notes", { headers: as("bob") }, 200, false, true],
    ["a missing row", open, "/notes/nobody", {}, 404, false, false],
    ["a missing method", open, "/notes", { method: "PATCH" }, 405, false, false],
    ["a wrong query", open, "/notes?nmae=1", {}, 400, false, false],
    ["a caller without credentials", closed, "/notes", {}, 401, false, false],
    ["a read that fails with 412", open, "/notes/judged", { headers: { "if-match": '"x"' } }, 412, false, false],
    ["a search in a body", open, "/searches", search, 200, false, false],
    ["a create", open, "/notes", { method: "POST", headers: asJson, body: '{"id":"posted","text":"a"}' }, 201, false, false],
  ] as const;

  test.each(cases)("says where %s may be kept", async (_, at, path, init, status, shared, own) => {
    await at.put("judged", "a");
    const { answered, policy, asked } = await exchange(at, path, init);
    expect(answered.status).toBe(status);
    expect({ shared: policy(true).storable(), own: policy(false).storable() }).toEqual({ shared, own });
    for (const kind of [true, false]) expect(policy(kind).satisfiesWithoutRevalidation(asked)).toBe(false);
  });

  test("finds no-store on errors, searches and replays", async () => {
    const headers = { ...asJson, "idempotency-key": "0123456789abcdef" };
    const create = { method: "POST", headers, body: '{"id":"once","text":"a"}' };
    await exchange(open, "/notes", create);
    const again = await exchange(open, "/notes", create);
    expect([again.answered.status, again.answered.headers["idempotent-replayed"]]).toEqual([201, "true"]);
    const answers = [again, await exchange(open, "/searches", search), await exchange(open, "/notes/nobody")];
    const kept = answers.map(({ answered }) => answered.headers["cache-control"]);
    expect(kept).toEqual(["no-store", "no-store", "no-store"]);
    for (const { policy } of answers) expect([policy(true).storable(), policy(false).storable()]).toEqual([false, false]);
  });

  test.each([
    ["a row", open, "/notes/again", {}],
    ["a view of a row", open, "/notes/again?fields=text", {}],
    ["a list", open, "/notes", {}],
    ["a page of a cursor", open, "cursor", {}],
    ["a row of a caller", closed, "/notes/again", as("bob")],
  ] as const)("takes our 304 for %s, with new headers over the kept body, and our 200 after a change", async (_, at, place, headers) => {
    for (const id of ["again", "and", "more"]) await at.put(id, "a");
    const path = place === "cursor" ? await nextPage(at) : place;
    const first = await exchange(at, path, { headers });
    const policy = first.policy(false);
    const revalidation = policy.revalidationHeaders(first.asked);
    expect(revalidation["if-none-match"]).toBe(first.answered.headers["etag"]);
    const { host: _host, ...sent } = revalidation;
    const second = await exchange(at, path, { headers: { ...sent, "x-request-id": "second" } });
    expect([second.answered.status, second.text]).toEqual([304, ""]);
    const unchanged = policy.revalidatedPolicy(first.asked, second.answered);
    expect([unchanged.modified, unchanged.matches]).toEqual([false, true]);
    const after = unchanged.policy.responseHeaders();
    const { date: _date, connection: _connection, "keep-alive": _keepAlive, ...lasting } = first.answered.headers;
    expect(after).toMatchObject({ ...lasting, "x-request-id": "second" });
    expect(unchanged.policy.storable()).toBe(true);

    await at.put("again", "b");
    await at.put("and", "b");
    await at.put("more", "b");
    const third = await exchange(at, path, { headers: sent });
    expect([third.answered.status, third.text.includes('"b"')]).toEqual([200, true]);
    expect(policy.revalidatedPolicy(first.asked, third.answered).modified).toBe(true);
  });

  async function nextPage(at: Site): Promise<string> {
    const { meta } = JSON.parse((await exchange(at, "/notes?perPage=1")).text);
    return `/notes?perPage=1&cursor=${meta.nextCursor}`;
  }

  test("does not let one caller's answer stand for another's", async () => {
    await closed.put("varied", "a");
    const { asked, policy } = await exchange(closed, "/notes/varied", { headers: as("ada") });
    const other = { ...asked, headers: { ...asked.headers, ...as("bob") } };
    expect(policy(false).revalidationHeaders(asked)["if-none-match"]).toBeDefined();
    expect(policy(false).revalidationHeaders(other)["if-none-match"]).toBeUndefined();
  });
});
