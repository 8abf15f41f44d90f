import { describe, expect, test } from "vitest";
import { setUp } from "../../service/resources.js";

describe("POST", () => {
  test("answers 201 with Location, ETag, Last-Modified and the full view with its defaults", async () => {
    const { send } = setUp();
    const created = await send({ method: "POST", target: "/things", body: { name: "a" }, mount: "/v1" });
    expect(created.status).toBe(201);
    expect(created.headers["location"]).toBe("/v1/things/1");
    expect(created.headers["etag"]).toMatch(/^"[0-9A-Z]{26}\.[0-9a-f]{8}"$/);
    expect(created.headers["last-modified"]).toMatch(/ GMT$/);
    expect(created.json).toEqual({
      id: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: created.json.createdAt,
      name: "a",
      status: "open",
      note: null,
      quantity: 1,
      tags: [],
      settings: { theme: "light", size: 3 },
      rank: 0,
    });
  });

  test("reads every kind of field and gives it back", async () => {
    const { send } = setUp();
    const body = {
      name: "x",
      email: "a@example.com",
      big: "9007199254740993",
      due: "2026-01-31T12:00:00+02:00",
      at: "2026-01-31T10:00:00Z",
      tags: ["a", "b"],
      address: { city: "Paris", zip: null, geo: { lat: 1.5 } },
      extra: { any: [1, { deep: true }] },
    };
    const { json } = await send({ method: "POST", target: "/things", body });
    expect(json).toMatchObject({ ...body, due: "2026-01-31T10:00:00.000Z", at: "2026-01-31T10:00:00.000Z" });
  });

  test.each([
    [{}, ["/name"]],
    [{ name: "" }, ["/name"]],
    [{ name: "a", id: 1 }, ["/id"]],
    [{ name: "a", createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" }, ["/createdAt", "/updatedAt"]],
    [{ name: "a", rank: 1 }, ["/rank"]],
    [{ name: "a", nmae: 1 }, ["/nmae"]],
    [{ name: "a", _version: "1" }, ["/_version"]],
    [{ name: "a", address: { city: "P", town: 1, geo: { lat: 1, lng: 2 } } }, ["/address/town", "/address/geo/lng"]],
    [{ name: "a", status: "lost", quantity: "1", tags: [1] }, ["/status", "/quantity", "/tags/0"]],
    [{ name: "a", at: "soon", due: "soon" }, ["/due", "/at"]],
    [{ name: "a", "b/c~d": 1 }, ["/b~1c~0d"]],
  ])("refuses %j with 422 and a pointer for each fault", async (body, pointers) => {
    const { send } = setUp();
    const refused = await send({ method: "POST", target: "/things", body });
    expect(refused.status).toBe(422);
    expect(refused.headers["content-type"]).toBe("application/problem+json");
    expect(refused.json.code).toBe("VALIDATION_FAILED");
    expect(refused.json.errors.map((error: { pointer: string }) => error.pointer).sort()).toEqual([...pointers].sort());
  });

  test.each([[[]], ["text"], [1], [null], [true]])("refuses the JSON value %j, which is no object", async (body) => {
    const refused = await setUp().send({ method: "POST", target: "/things", body: JSON.stringify(body) });
    expect([refused.status, refused.json.code]).toEqual([422, "VALIDATION_FAILED"]);
  });

  test("refuses an integer that binary64 cannot hold with 400, instead of rounding it", async () => {
    const refused = await setUp().send({ method: "POST", target: "/things", body: '{"name":"a","quantity":9007199254740993}' });
    expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, "/quantity"]);
  });

  test("shows at most 20 faults and never a pattern", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, 1]));
    const { send } = setUp();
    expect((await send({ method: "POST", target: "/things", body: unknown })).json.errors).toHaveLength(20);
    const { text } = await send({ method: "POST", target: "/pages", body: { slug: "NO", title: "t" } });
    expect(text).not.toMatch(/a-z/);
    expect(text).toMatch(/required format/);
  });

  test("answers a taken unique key with 422 DUPLICATE_<FIELD>, e-mail without case, a composite key by all its fields", async () => {
    const { send } = setUp();
    await send({ method: "POST", target: "/things", body: { name: "a", email: "É@example.com".toLowerCase().replace("é", "e") } });
    const email = await send({ method: "POST", target: "/things", body: { name: "b", email: "E@EXAMPLE.com" } });
    expect([email.status, email.json.code, email.json.errors]).toMatchObject([422, "DUPLICATE_EMAIL", [{ pointer: "/email" }]]);
    const both = await send({ method: "POST", target: "/things", body: { name: "a" } });
    expect([both.json.code, both.json.errors.map((error: { pointer: string }) => error.pointer)]).toEqual([
      "DUPLICATE_NAME_STATUS",
      ["/name", "/status"],
    ]);
    const star = await send({ method: "POST", target: "/things", headers: { "if-none-match": "*" }, body: { name: "a" } });
    expect(star.status).toBe(412);
  });

  test("takes the id from the client where it is not generated", async () => {
    const { send } = setUp();
    const created = await send({ method: "POST", target: "/pages", body: { slug: "home", title: "Home" } });
    expect([created.status, created.headers["location"]]).toEqual([201, "/pages/home"]);
    const again = await send({ method: "POST", target: "/pages", body: { slug: "home", title: "Home" } });
    expect([again.status, again.json.code]).toEqual([422, "DUPLICATE_SLUG"]);
  });

  test("generates ULIDs and UUIDs", async () => {
    const { send } = setUp();
    expect((await send({ method: "POST", target: "/guarded", body: { name: "a" } })).json.id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect((await send({ method: "POST", target: "/ranges", body: { from: 1, to: 2 } })).json.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("honours Prefer: return=minimal", async () => {
    const created = await setUp().send({ method: "POST", target: "/things", headers: { prefer: "return=minimal" }, body: { name: "a" } });
    expect([created.status, created.text, created.headers["preference-applied"]]).toEqual([201, "", "return=minimal"]);
    expect(created.headers["etag"]).toBeDefined();
  });

  test("judges a rule over the whole object", async () => {
    const refused = await setUp().send({ method: "POST", target: "/ranges", body: { from: 3, to: 2 } });
    expect([refused.status, refused.json.errors]).toMatchObject([422, [{ pointer: "/to", detail: "Must not be below from." }]]);
  });

  test("makes Location absolute where the service knows its address", async () => {
    const { send } = setUp({ baseUrl: "https://api.example.com/v1/" });
    expect((await send({ method: "POST", target: "/things", body: { name: "a" } })).headers["location"]).toBe("https://api.example.com/v1/things/1");
  });
});

describe("GET of one row", () => {
  test("is HEAD without the body: the same headers, the same length", async () => {
    const { send } = setUp();
    await send({ method: "POST", target: "/things", body: { name: "é" } });
    const get = await send({ target: "/things/1" });
    const head = await send({ method: "HEAD", target: "/things/1" });
    expect(head.text).toBe("");
    expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(get.text)));
    const { "x-request-id": _, ...headers } = get.headers;
    expect(head.headers).toMatchObject(headers);
  });

  test.each(["2", "0", "-1", "01", "1.0", "1e0", "9007199254740993", "abc", "%20", "1%00"])(
    "answers the id %s, which no row has, with 404",
    async (id) => {
      const { send } = setUp();
      await send({ method: "POST", target: "/things", body: { name: "a" } });
      const missing = await send({ target: `/things/${id}` });
      expect([missing.status, missing.json.code]).toEqual([404, "NOT_FOUND"]);
    },
  );

  test("answers an id that the schema refuses with 404, and a percent-encoded one once decoded", async () => {
    const { send } = setUp();
    await send({ method: "POST", target: "/pages", body: { slug: "home", title: "t" } });
    expect((await send({ target: "/pages/%68ome" })).status).toBe(200);
    expect((await send({ target: "/pages/%2568ome" })).status).toBe(404);
    expect((await send({ target: "/pages/NO" })).status).toBe(404);
    expect((await send({ target: "/pages/%zz" })).json.code).toBe("MALFORMED_TARGET");
  });
});

describe("PATCH", () => {
  const start = { name: "a", nick: "n", address: { city: "Paris", zip: "1", geo: { lat: 1 } }, settings: { theme: "dark", size: 9 }, tags: ["x"] };

  const patches: [unknown, Record<string, unknown>][] = [
    [{ name: "b" }, { name: "b" }],
    [{ nick: null }, { nick: undefined }],
    [{ note: "n" }, { note: "n" }],
    [{ note: null }, { note: null }],
    [{ status: null }, { status: "open" }],
    [{ settings: null }, { settings: { theme: "light", size: 3 } }],
    [{ settings: { theme: null } }, { settings: { theme: "light", size: 9 } }],
    [{ address: { city: "Rome" } }, { address: { city: "Rome", zip: "1", geo: { lat: 1 } } }],
    [{ address: { zip: null } }, { address: { city: "Paris", zip: null, geo: { lat: 1 } } }],
    [{ address: { geo: null } }, { address: { city: "Paris", zip: "1" } }],
    [{ address: null }, { address: undefined }],
    [{ tags: ["y", "z"] }, { tags: ["y", "z"] }],
    [{ extra: { a: 1 } }, { extra: { a: 1 } }],
    [{ at: "2026-01-31T10:00:00Z" }, { at: "2026-01-31T10:00:00.000Z" }],
    [{}, {}],
  ];

  test.each(patches)("%j is merged by RFC 7396", async (patch, changed) => {
    const { send } = setUp();
    const { json: before } = await send({ method: "POST", target: "/things", body: start });
    const { status, json } = await send({
      method: "PATCH",
      target: "/things/1",
      headers: { "content-type": "application/merge-patch+json" },
      body: patch,
    });
    expect(status).toBe(200);
    const expected = JSON.parse(JSON.stringify({ ...before, ...changed, updatedAt: json.updatedAt }));
    expect(json).toEqual(expected);
    expect((await send({ target: "/things/1" })).json).toEqual(expected);
  });

  test.each([
    [{ name: null }, ["/name"]],
    [{ name: 1, quantity: "x" }, ["/name", "/quantity"]],
    [{ address: { city: null } }, ["/address/city"]],
    [{ address: { town: "x" } }, ["/address/town"]],
    [{ id: 2 }, ["/id"]],
    [{ createdAt: "2020-01-01T00:00:00Z" }, ["/createdAt"]],
    [{ tags: [1] }, ["/tags/0"]],
    [{ nothing: 1 }, ["/nothing"]],
  ])("%j is refused with 422 and changes nothing", async (patch, pointers) => {
    const { send } = setUp();
    await send({ method: "POST", target: "/things", body: start });
    const before = await send({ target: "/things/1" });
    const refused = await send({ method: "PATCH", target: "/things/1", body: patch });
    expect(refused.status).toBe(422);
    expect(refused.json.errors.map((error: { pointer: string }) => error.pointer)).toEqual(pointers);
    const after = await send({ target: "/things/1" });
    expect([after.text, after.headers["etag"]]).toEqual([before.text, before.headers["etag"]]);
  });

  test("ignores updatedAt and read-only members and takes generated ones with their current value", async () => {
    const { send } = setUp();
    const { json } = await send({ method: "POST", target: "/things", body: start });
    const createdAt = json.createdAt.replace("Z", "+00:00");
    const patch = { id: 1, createdAt, updatedAt: "2000-01-01T00:00:00Z", rank: 9, name: "b" };
    expect((await send({ method: "PATCH", target: "/things/1", body: patch })).json).toMatchObject({ name: "b", createdAt: json.createdAt });
  });

  test("does not apply a transform to what it does not name, and judges rules over the whole result", async () => {
    const { send } = setUp();
    const { json } = await send({ method: "POST", target: "/ranges", body: { from: 1, to: 2, label: " x " } });
    const target = `/ranges/${json.id}`;
    expect((await send({ method: "PATCH", target, body: { to: 5 } })).json).toMatchObject({ from: 1, to: 5, label: "x" });
    expect((await send({ method: "PATCH", target, body: { from: 6 } })).json.errors).toMatchObject([{ pointer: "/to" }]);
    expect((await send({ method: "PATCH", target, body: { from: 6, to: 7 } })).status).toBe(200);
  });

  test("a taken unique key is 422", async () => {
    const { send } = setUp();
    for (const name of ["a", "b"]) await send({ method: "POST", target: "/things", body: { name, email: `${name}@example.com` } });
    const refused = await send({ method: "PATCH", target: "/things/2", body: { email: "A@example.com" } });
    expect([refused.status, refused.json.code]).toEqual([422, "DUPLICATE_EMAIL"]);
  });

  test("honours Prefer: return=minimal with 204, ETag and no body", async () => {
    const { send } = setUp();
    await send({ method: "POST", target: "/things", body: start });
    const minimal = await send({ method: "PATCH", target: "/things/1", headers: { prefer: 'return="minimal"' }, body: { name: "b" } });
    expect([minimal.status, minimal.text, minimal.headers["preference-applied"]]).toEqual([204, "", "return=minimal"]);
    expect(minimal.headers["etag"]).toBe((await send({ target: "/things/1" })).headers["etag"]);
  });

  test.each([
    ["application/json-patch+xml", "/things/1"],
    ["text/plain", "/things/1"],
    ["application/json; charset=latin1", "/things/1"],
    ["", "/things/1"],
    ["application/json", "/guarded/x"],
  ])("as %j is 415 with Accept-Patch", async (type, target) => {
    const { send } = setUp();
    await send({ method: "POST", target: "/things", body: start });
    const refused = await send({ method: "PATCH", target, headers: { "content-type": type }, body: "{}" });
    expect([refused.status, refused.headers["accept-patch"]?.includes("application/merge-patch+json")]).toEqual([415, true]);
  });
});

describe("PUT", () => {
  test("replaces what GET shows: defaults for what is omitted, generated fields kept", async () => {
    const { send } = setUp();
    const body = { name: "a", nick: "n", note: "x", status: "paid", tags: ["t"], bio: "long" };
    const { json: before } = await send({ method: "POST", target: "/things", body });
    const { status, json } = await send({ method: "PUT", target: "/things/1", body: { name: "b" } });
    expect(status).toBe(200);
    expect(json).toEqual({
      id: 1,
      createdAt: before.createdAt,
      updatedAt: json.updatedAt,
      name: "b",
      status: "open",
      note: null,
      quantity: 1,
      tags: [],
      settings: { theme: "light", size: 3 },
      rank: 0,
    });
  });

  test("of what GET gave changes nothing, not even the version", async () => {
    const { send } = setUp();
    await send({
      method: "POST",
      target: "/things",
      body: { name: "a", bio: "long", ssn: "123", password: "p", tags: ["t"], at: "2026-01-01T00:00:00Z" },
    });
    const before = await send({ target: "/things/1" });
    const replaced = await send({ method: "PUT", target: "/things/1", body: before.json });
    expect(replaced.json).toEqual(before.json);
    expect(replaced.headers["etag"]).toBe(before.headers["etag"]);
  });

  test.each([
    [{ name: "a", id: 2 }, "/id"],
    [{ name: "a", createdAt: "2020-01-01T00:00:00Z" }, "/createdAt"],
    [{}, "/name"],
    [{ name: "a", x: 1 }, "/x"],
  ])("%j is 422", async (body, pointer) => {
    const { send } = setUp();
    await send({ method: "POST", target: "/things", body: { name: "a" } });
    const refused = await send({ method: "PUT", target: "/things/1", body });
    expect([refused.status, refused.json.errors[0].pointer]).toEqual([422, pointer]);
  });

  test("of a missing row is 404 where the server names rows", async () => {
    expect((await setUp().send({ method: "PUT", target: "/things/1", body: { name: "a" } })).status).toBe(404);
  });

  test("creates where clients name rows, with the id of the path", async () => {
    const { send } = setUp();
    const created = await send({ method: "PUT", target: "/pages/home", body: { title: "a" } });
    expect([created.status, created.headers["location"], created.json]).toEqual([201, "/pages/home", { slug: "home", title: "a" }]);
    const replaced = await send({ method: "PUT", target: "/pages/home", body: { slug: "home", title: "b" } });
    expect([replaced.status, replaced.json]).toEqual([200, { slug: "home", title: "b" }]);
    const other = await send({ method: "PUT", target: "/pages/home", body: { slug: "away", title: "b" } });
    expect([other.status, other.json.errors[0].pointer]).toEqual([422, "/slug"]);
  });
});

describe("DELETE", () => {
  test("answers 204, then 404", async () => {
    const { send } = setUp();
    await send({ method: "POST", target: "/things", body: { name: "a" } });
    const removed = await send({ method: "DELETE", target: "/things/1" });
    expect([removed.status, removed.text, removed.headers["content-type"]]).toEqual([204, "", undefined]);
    expect((await send({ method: "DELETE", target: "/things/1" })).status).toBe(404);
  });

  test("answers 204 again where the resource says so", async () => {
    expect((await setUp().send({ method: "DELETE", target: "/guarded/none" })).status).toBe(204);
  });

  test("answers 200 with the row for Prefer: return=representation", async () => {
    const { send } = setUp();
    const { json } = await send({ method: "POST", target: "/things", body: { name: "a" } });
    const removed = await send({ method: "DELETE", target: "/things/1", headers: { prefer: "return=representation" } });
    expect([removed.status, removed.json]).toEqual([200, json]);
  });

  test("never gives the id to another row", async () => {
    const { send } = setUp();
    await send({ method: "POST", target: "/things", body: { name: "a" } });
    await send({ method: "DELETE", target: "/things/1" });
    expect((await send({ method: "POST", target: "/things", body: { name: "a" } })).json.id).toBe(2);
  });
});

describe("methods", () => {
  test("OPTIONS names them, with Accept-Patch on a row", async () => {
    const { send } = setUp();
    const collection = await send({ method: "OPTIONS", target: "/things" });
    const { allow, "accept-patch": acceptPatch, "accept-query": acceptQuery } = collection.headers;
    expect([collection.status, allow, acceptPatch, acceptQuery]).toEqual([
      204,
      "GET, HEAD, POST, DELETE, QUERY, OPTIONS",
      undefined,
      "application/json",
    ]);
    const row = await send({ method: "OPTIONS", target: "/things/1" });
    expect(row.headers).toMatchObject({
      allow: "GET, HEAD, PUT, PATCH, DELETE, OPTIONS",
      "accept-patch": "application/merge-patch+json, application/json-patch+json, application/json",
    });
  });

  test.each([
    ["PUT", "/things"],
    ["POST", "/things/1"],
    ["BREW", "/things/1"],
    ["get", "/things/1"],
  ])("%s %s is 405 with Allow", async (method, target) => {
    const refused = await setUp().send({ method, target });
    expect([refused.status, refused.json.code, refused.json.allowed]).toEqual([
      405,
      "METHOD_NOT_ALLOWED",
      (refused.headers["allow"] as string).split(", "),
    ]);
  });
});
