import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { clock, setUp } from "../../service/resources.js";

async function withThing(options = {}) {
  const { send } = setUp({ clock: clock(), ...options });
  const created = await send({ method: "POST", target: "/things", body: { name: "a" } });
  return { send, etag: created.headers["etag"] as string, lastModified: created.headers["last-modified"] as string };
}

const weak = (tag: string) => `W/${tag}`;
const versionTag = (tag: string) => `${tag.split(".")[0]?.replace(/"$/, "")}"`;
const later = "Sat, 31 Jan 2026 12:00:01 GMT";
const earlier = "Sat, 31 Jan 2026 11:59:59 GMT";

describe("GET and HEAD", () => {
  const cases: [string, (tag: string) => Record<string, string>, number][] = [
    ["its tag", (tag) => ({ "if-none-match": tag }), 304],
    ["its tag, weakened by a proxy", (tag) => ({ "if-none-match": weak(tag) }), 304],
    ["its tag among others", (tag) => ({ "if-none-match": `"x,y" , ${tag}` }), 304],
    ["*", () => ({ "if-none-match": " * " }), 304],
    ["another tag", () => ({ "if-none-match": '"x"' }), 200],
    ["the tag of another view", (tag) => ({ "if-none-match": versionTag(tag) }), 200],
    ["its tag and no-cache, as fetch sends it", (tag) => ({ "if-none-match": tag, "cache-control": "no-cache" }), 304],
    ["another tag and a date that would match", () => ({ "if-none-match": '"x"', "if-modified-since": later }), 200],
    ["the date of its change", () => ({ "if-modified-since": "Sat, 31 Jan 2026 12:00:00 GMT" }), 304],
    ["an earlier date", () => ({ "if-modified-since": earlier }), 200],
    ["a date that is none", () => ({ "if-modified-since": "2026-02-01" }), 200],
    ["If-Match with its tag", (tag) => ({ "if-match": tag }), 200],
    ["If-Match with another", () => ({ "if-match": '"x"' }), 412],
    ["If-Unmodified-Since before the change", () => ({ "if-unmodified-since": earlier }), 412],
  ];

  test.each(cases)("with %s", async (_, headersOf, status) => {
    const { send, etag } = await withThing();
    for (const method of ["GET", "HEAD"]) {
      const answer = await send({ method, target: "/things/1", headers: headersOf(etag) });
      expect(answer.status, method).toBe(status);
      if (status === 304) {
        expect(answer.headers).toMatchObject({ etag, "cache-control": "no-cache" });
        expect([answer.text, answer.headers["content-type"], answer.headers["content-length"]]).toEqual(["", undefined, undefined]);
      }
    }
  });

  test("a list has a weak tag over its bytes and no date", async () => {
    const { send } = await withThing();
    const list = await send({ target: "/things" });
    expect(list.headers["etag"]).toMatch(/^W\/"/);
    expect((await send({ target: "/things", headers: { "if-none-match": list.headers["etag"] as string } })).status).toBe(304);
    expect((await send({ target: "/things", headers: { "if-modified-since": later } })).status).toBe(200);
    await send({ method: "PATCH", target: "/things/1", body: { name: "b" } });
    expect((await send({ target: "/things", headers: { "if-none-match": list.headers["etag"] as string } })).status).toBe(200);
  });
});

describe("writes", () => {
  const cases: [string, (tag: string) => Record<string, string>, number][] = [
    ["its tag", (tag) => ({ "if-match": tag }), 200],
    ["the tag of any view of the same version", (tag) => ({ "if-match": versionTag(tag) }), 200],
    ["*", () => ({ "if-match": "*" }), 200],
    ["another tag", () => ({ "if-match": '"x"' }), 412],
    ["its tag, weakened", (tag) => ({ "if-match": weak(tag) }), 412],
    ["If-None-Match: *", () => ({ "if-none-match": "*" }), 412],
    ["If-None-Match with its tag", (tag) => ({ "if-none-match": tag }), 412],
    ["If-Unmodified-Since after the change", () => ({ "if-unmodified-since": later }), 200],
    ["If-Unmodified-Since before it", () => ({ "if-unmodified-since": earlier }), 412],
    ["If-Unmodified-Since before it, beside a matching If-Match", (tag) => ({ "if-match": tag, "if-unmodified-since": earlier }), 200],
    ["an If-Match that is no tag", () => ({ "if-match": "x" }), 400],
  ];

  test.each(cases)("with %s", async (_, headersOf, status) => {
    for (const [method, body] of [
      ["PATCH", { nick: "b" }],
      ["PUT", { name: "b" }],
      ["DELETE", undefined],
    ] as const) {
      const { send, etag } = await withThing();
      const answer = await send({ method, target: "/things/1", headers: headersOf(etag), body });
      expect(answer.status, method).toBe(status === 200 && method === "DELETE" ? 204 : status);
      if (status === 412) expect(answer.headers["etag"]).toBe(etag);
    }
  });

  test("of a missing row are 404 even with If-Match, and 412 for a PUT that could create", async () => {
    const { send } = setUp();
    expect((await send({ method: "PATCH", target: "/things/1", headers: { "if-match": '"x"' }, body: {} })).status).toBe(404);
    expect((await send({ method: "DELETE", target: "/things/1", headers: { "if-match": "*" } })).status).toBe(404);
    expect((await send({ method: "PUT", target: "/pages/a", headers: { "if-match": "*" }, body: { title: "t" } })).status).toBe(412);
    expect((await send({ method: "PUT", target: "/pages/a", headers: { "if-none-match": "*" }, body: { title: "t" } })).status).toBe(201);
    expect((await send({ method: "PUT", target: "/pages/a", headers: { "if-none-match": "*" }, body: { title: "t" } })).status).toBe(412);
  });

  test("412 comes before validation, 415 before 412", async () => {
    const { send } = await withThing();
    expect((await send({ method: "PATCH", target: "/things/1", headers: { "if-match": '"x"' }, body: { nmae: 1 } })).status).toBe(412);
    expect(
      (await send({ method: "PATCH", target: "/things/1", headers: { "if-match": '"x"', "content-type": "text/plain" }, body: "{}" })).status,
    ).toBe(415);
  });

  test("need If-Match where the resource asks for it → 428 with the current tag", async () => {
    const { send } = setUp();
    const created = await send({ method: "POST", target: "/guarded", body: { name: "a" } });
    const target = `/guarded/${created.json.id}`;
    const headers = { "content-type": "application/merge-patch+json" };
    const refused = await send({ method: "PATCH", target, headers, body: { name: "b" } });
    expect([refused.status, refused.json.code, refused.headers["etag"]]).toEqual([428, "PRECONDITION_REQUIRED", created.headers["etag"]]);
    expect((await send({ method: "DELETE", target })).status).toBe(428);
    const patched = await send({
      method: "PATCH",
      target,
      headers: { ...headers, "if-match": created.headers["etag"] as string },
      body: { name: "b" },
    });
    expect(patched.status).toBe(200);
  });
});

describe("races", () => {
  test("50 PATCHes with one If-Match: one 200 and 49 times 412", async () => {
    const { send, etag } = await withThing();
    const patches = Array.from({ length: 50 }, (_, index) =>
      send({ method: "PATCH", target: "/things/1", headers: { "if-match": etag }, body: { quantity: index + 1_000 } }),
    );
    const statuses = (await Promise.all(patches)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(49);
  });

  test("50 PATCHes without If-Match are each tried again until they get through", async () => {
    const { send } = await withThing({ limits: { writeRetries: 50 } });
    const patches = Array.from({ length: 50 }, (_, index) => send({ method: "PATCH", target: "/things/1", body: { quantity: index } }));
    const statuses = (await Promise.all(patches)).map(({ status }) => status);
    expect(statuses).toEqual(Array.from({ length: 50 }, () => 200));
  });

  test("a row that changes under every try of a write ends in 409 with Retry-After", async () => {
    const storage = memoryStorage();
    let writes = 0;
    const restless: Storage = {
      name: "restless",
      collection(model) {
        const rows = storage.collection(model);
        const change = async () => {
          writes += 1;
          return { ok: false, why: "stale" } as const;
        };
        return {
          can: rows.can,
          find: rows.find.bind(rows),
          get: rows.get.bind(rows),
          insert: rows.insert.bind(rows),
          update: change,
          remove: change,
        };
      },
    };
    const { send } = await withThing({ storage: restless, limits: { writeRetries: 2 } });
    for (const [method, body] of [
      ["PATCH", { nick: "b" }],
      ["PUT", { name: "b" }],
      ["DELETE", undefined],
    ] as const) {
      writes = 0;
      const refused = await send({ method, target: "/things/1", body });
      expect([refused.status, refused.json.code, refused.headers["retry-after"], writes]).toEqual([409, "WRITE_CONFLICT", "1", 3]);
    }
  });

  test("PUTs that create one row at the same time: one creates it, the others replace it", async () => {
    const { send } = setUp();
    const puts = Array.from({ length: 6 }, () => send({ method: "PUT", target: "/pages/home", body: { title: "t" } }));
    const statuses = (await Promise.all(puts)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 200, 201]);
  });

  test("50 POSTs of one unique e-mail: one 201 and 49 times 422", async () => {
    const { send } = setUp();
    const posts = Array.from({ length: 50 }, (_, index) =>
      send({ method: "POST", target: "/things", body: { name: `n${index}`, email: "a@example.com" } }),
    );
    const statuses = (await Promise.all(posts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 422)).toHaveLength(49);
  });

  test("50 PUTs that create one row: one 201", async () => {
    const { send } = setUp();
    const puts = Array.from({ length: 50 }, () =>
      send({ method: "PUT", target: "/pages/home", headers: { "if-none-match": "*" }, body: { title: "t" } }),
    );
    const statuses = (await Promise.all(puts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(49);
  });
});
