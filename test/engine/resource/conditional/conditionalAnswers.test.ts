import { describe, expect, test } from "vitest";
import type { Received, Sent } from "../../../tools/client.js";
import { clock, setUp } from "../../service/resources.js";
import { as, auth, withRows } from "../relatedResources.js";

type Headers = Readonly<Record<string, string>>;

/** What an answer says of its body, which a 304 has not. */
const ofTheBody = ["content-type", "content-length"];

const withoutBody = (headers: Received["headers"]) => Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheBody.includes(name)));

describe("304", () => {
  test.each(["/users/1", "/users/1?fields=id,name", "/users/1?include=company", "/users", "/users?perPage=1", "/companies/a/users"])(
    "of %s carries what the 200 carries, but for the body and what is said of it",
    async (target) => {
      for (const options of [{}, { auth }]) {
        const { send } = await withRows(options);
        const headers = as("admin");
        const whole = await send({ target, headers });
        const tag = whole.headers["etag"] as string;
        for (const method of ["GET", "HEAD"]) {
          const bare = await send({ method, target, headers: { ...headers, "if-none-match": tag } });
          expect([bare.status, bare.text]).toEqual([304, ""]);
          expect(bare.headers).toEqual(withoutBody(whole.headers));
        }
        const cached = "auth" in options ? { "cache-control": "private, no-cache", vary: "Authorization" } : { "cache-control": "no-cache" };
        expect(whole.headers).toMatchObject(cached);
      }
    },
  );

  test.each(["no-cache", "max-age=0", "no-store", "no-cache, no-save", "max-age=0, no-transform"])(
    "is not refused because the request says Cache-Control: %s",
    async (value) => {
      const { send } = await withRows();
      for (const target of ["/users/1", "/users"]) {
        const tag = (await send({ target })).headers["etag"] as string;
        const headers = { "if-none-match": tag, "cache-control": value, pragma: "no-cache" };
        expect((await send({ target, headers })).status).toBe(304);
      }
    },
  );
});

describe("412", () => {
  test("is a problem that no cache may keep, with the tag as it is, also for HEAD", async () => {
    const { send } = await withRows({ auth });
    const headers = { ...as("admin"), "if-match": '"x"' };
    const { etag } = (await send({ target: "/users/1", headers: as("admin") })).headers;
    for (const method of ["GET", "HEAD", "PATCH", "PUT", "DELETE"]) {
      const refused = await send({ method, target: "/users/1", headers, ...(method.startsWith("P") ? { body: {} } : {}) });
      expect(refused.status, method).toBe(412);
      const expected = { etag, "cache-control": "no-store", vary: "Authorization", "content-type": "application/problem+json" };
      expect(refused.headers, method).toMatchObject(expected);
      expect(refused.headers["last-modified"]).toBeUndefined();
      if (method === "HEAD") expect(refused.text).toBe("");
      else expect(refused.json).toMatchObject({ status: 412, code: "PRECONDITION_FAILED" });
    }
  });

  test("gives the tag that the next try needs", async () => {
    const { send } = await withRows();
    const write = (tag: string) => send({ method: "PATCH", target: "/users/1", headers: { "if-match": tag }, body: { name: "A" } });
    const refused = await write('"x"');
    expect((await write(refused.headers["etag"] as string)).status).toBe(200);
  });

  test("has no tag where there is no row", async () => {
    const { send } = setUp();
    const refused = await send({ method: "PUT", target: "/pages/a", headers: { "if-match": '"x"' }, body: { title: "t" } });
    expect([refused.status, refused.headers["etag"]]).toEqual([412, undefined]);
  });
});

const failing = { "if-match": '"x"' };
const text = { "content-type": "text/plain" };
const patch = { "content-type": "application/json-patch+json" };

describe("what comes before a precondition", () => {
  const cases: [string, Sent, number][] = [
    ["no credentials in a write", { method: "PATCH", target: "/users/1", headers: failing, body: {} }, 401],
    ["no credentials in a read", { target: "/users/1", headers: { "if-none-match": "*" } }, 401],
    ["an action that is not allowed", { method: "DELETE", target: "/users/1", headers: { ...as("clerk"), ...failing } }, 403],
    ["a missing row, read", { target: "/users/99", headers: { ...as("clerk"), ...failing } }, 404],
    ["a missing row, though any would do", { target: "/users/99", headers: { ...as("clerk"), "if-match": "*" } }, 404],
    ["a missing row and If-None-Match: *", { target: "/users/99", headers: { ...as("clerk"), "if-none-match": "*" } }, 404],
    ["a missing row, patched", { method: "PATCH", target: "/users/99", headers: { ...as("clerk"), ...failing }, body: {} }, 404],
    ["a row of another tenant, read", { target: "/users/1", headers: { ...as("other"), "if-none-match": "*" } }, 404],
    ["a row of another tenant, patched", { method: "PATCH", target: "/users/1", headers: { ...as("other"), ...failing }, body: {} }, 404],
    ["a row of another parent", { target: "/companies/b/users/1", headers: { ...as("clerk"), ...failing } }, 404],
    ["a method that is not there", { method: "PUT", target: "/users", headers: { ...as("clerk"), ...failing }, body: {} }, 405],
    ["another media type", { method: "PATCH", target: "/users/1", headers: { ...as("clerk"), ...failing, ...text }, body: "{}" }, 415],
    ["a body over the limit", { method: "PATCH", target: "/users/1", headers: { ...as("clerk"), ...failing }, body: "x".repeat(2_000) }, 413],
    ["a body that is no JSON", { method: "PATCH", target: "/users/1", headers: { ...as("clerk"), ...failing }, body: "{" }, 400],
    ["a JSON Patch that is none", { method: "PATCH", target: "/users/1", headers: { ...as("clerk"), ...failing, ...patch }, body: "{}" }, 400],
    ["a query with a fault", { target: "/users/1?fields=nmae", headers: { ...as("clerk"), "if-none-match": "*" } }, 400],
    ["a list's query with a fault", { target: "/users?nmae=1", headers: { ...as("clerk"), "if-none-match": "*" } }, 400],
  ];

  test.each(cases)("%s", async (_, sent, status) => {
    const { send } = await withRows({
      auth,
      limits: { jsonBodyBytes: 1_000 },
      authorize: ({ principal, action }) => principal.id !== "clerk" || action !== "remove",
    });
    const refused = await send(sent);
    expect([refused.status, refused.headers["etag"]]).toEqual([status, undefined]);
  });

  test("and what after it: fields that the schema refuses, and patches that do not fit", async () => {
    const { send } = await withRows();
    const writes: [Headers, unknown, number][] = [
      [{}, { nmae: 1 }, 422],
      [patch, [{ op: "test", path: "/name", value: "nobody" }], 409],
    ];
    for (const [headers, body, status] of writes) {
      const write = (more: Headers) => send({ method: "PATCH", target: "/users/1", headers: { ...headers, ...more }, body });
      expect([(await write(failing)).status, (await write({})).status]).toEqual([412, status]);
    }
  });

  test("OPTIONS has none", async () => {
    const { send } = await withRows();
    for (const headers of [failing, { "if-none-match": "*" }]) {
      expect((await send({ method: "OPTIONS", target: "/users/1", headers })).status).toBe(204);
    }
  });
});

const [earlier, same, later] = ["Sat, 31 Jan 2026 11:59:59 GMT", "Sat, 31 Jan 2026 12:00:00 GMT", "Sat, 31 Jan 2026 12:00:01 GMT"] as const;

describe("the order of preconditions", () => {
  const cases: [string, (tag: string) => Headers, number, number][] = [
    ["a failing If-Match and a matching If-None-Match", (tag) => ({ "if-match": '"x"', "if-none-match": tag }), 412, 412],
    ["a matching If-Match and If-None-Match", (tag) => ({ "if-match": tag, "if-none-match": tag }), 304, 412],
    ["a matching If-Match, another If-None-Match", (tag) => ({ "if-match": tag, "if-none-match": '"x"' }), 200, 200],
    ["a matching If-Match, dates that fail", (tag) => ({ "if-match": tag, "if-unmodified-since": earlier }), 200, 200],
    ["a failing If-Match, dates that hold", () => ({ "if-match": '"x"', "if-unmodified-since": later }), 412, 412],
    ["a failing If-Unmodified-Since, a matching If-None-Match", (tag) => ({ "if-unmodified-since": earlier, "if-none-match": tag }), 412, 412],
    ["a holding If-Unmodified-Since, a matching If-None-Match", (tag) => ({ "if-unmodified-since": same, "if-none-match": tag }), 304, 412],
    ["both dates, unchanged", () => ({ "if-unmodified-since": same, "if-modified-since": same }), 304, 200],
    ["both dates, changed", () => ({ "if-unmodified-since": earlier, "if-modified-since": earlier }), 412, 412],
    ["another If-None-Match, a date that would spare the body", () => ({ "if-none-match": '"x"', "if-modified-since": later }), 200, 200],
    ["a matching If-None-Match, a date that would not", (tag) => ({ "if-none-match": tag, "if-modified-since": earlier }), 304, 412],
    ["If-Modified-Since alone", () => ({ "if-modified-since": same }), 304, 200],
    ["dates that are none", () => ({ "if-unmodified-since": "2020-01-01", "if-modified-since": "tomorrow" }), 200, 200],
    ["dates in the obsolete forms", () => ({ "if-modified-since": "Saturday, 31-Jan-26 12:00:00 GMT" }), 304, 200],
    ["dates of the C library", () => ({ "if-unmodified-since": "Sat Jan 31 11:59:59 2026" }), 412, 412],
    ["dates in another zone", () => ({ "if-modified-since": "Sat, 31 Jan 2026 12:00:00 CET" }), 200, 200],
    ["a list of tags with quoted commas", (tag) => ({ "if-match": `"a,b", ,${tag},"c"`, "if-none-match": '"a,b","c"' }), 200, 200],
    ["spaces about the star", () => ({ "if-match": " * ", "if-none-match": " * " }), 304, 412],
  ];

  test.each(cases)("%s", async (_, headersOf, read, write) => {
    const { send } = setUp({ clock: clock() });
    const created = await send({ method: "POST", target: "/things", body: { name: "a" } });
    expect(created.headers["last-modified"]).toBe(same);
    const headers = headersOf(created.headers["etag"] as string);
    for (const method of ["GET", "HEAD"]) expect((await send({ method, target: "/things/1", headers })).status, method).toBe(read);
    for (const [method, body] of [
      ["PATCH", {}],
      ["PUT", { name: "a" }],
    ] as const) {
      const again = await setUpThing();
      const status = (await again.send({ method, target: "/things/1", headers: headersOf(again.tag), body })).status;
      expect(status, method).toBe(write);
    }
  });

  test("a list has no date to compare with", async () => {
    const { send } = setUp({ clock: clock() });
    const list = await send({ target: "/things" });
    expect(list.headers["last-modified"]).toBeUndefined();
    for (const name of ["if-modified-since", "if-unmodified-since"]) {
      for (const date of [earlier, later]) expect((await send({ target: "/things", headers: { [name]: date } })).status).toBe(200);
    }
  });
});

async function setUpThing() {
  const { send } = setUp({ clock: clock() });
  const { headers } = await send({ method: "POST", target: "/things", body: { name: "a" } });
  return { send, tag: headers["etag"] as string };
}
