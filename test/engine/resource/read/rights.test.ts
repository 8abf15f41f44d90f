import { defineResource, type Principal } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { withScope } from "../../rules/withScope.js";

const isAdmin = ({ id }: Principal) => id === "admin";

const docs = defineResource("docs", {
  schema: z.object({
    id: z.int(),
    name: z.string(),
    role: z.string().default("user"),
    quota: z.object({ size: z.int(), until: z.date() }).optional(),
    salary: z.number().optional(),
    note: z.object({ deepName: z.string() }).optional(),
  }),
  generated: { id: "increment" },
  access: {
    role: { write: isAdmin },
    quota: { write: isAdmin },
    note: { read: isAdmin, write: true },
  },
});
const pages = defineResource("pages", {
  schema: z.object({ id: z.string(), title: z.string(), slug: z.string().optional() }),
  unique: ["slug"],
});

function setUp(options: Partial<FullServiceOptions> = {}) {
  const auth = [bearer((token) => ({ id: token }))];
  const send = clientOf(fullService({ resources: [docs, pages], storage: memoryStorage(), auth, ...options }));
  return (who: string, method: string, target: string, body?: unknown, headers: Record<string, string> = {}) =>
    send({ method, target, body, headers: { authorization: `Bearer ${who}`, "x-request-id": "r", ...headers } });
}

const start = { name: "n", role: "boss", quota: { size: 5, until: "2026-01-31T00:00:00.000Z" }, salary: 100 };

describe("a field that the caller may read but not write", () => {
  test("is kept by a PUT that leaves it out, and by one that sends back what was got", async () => {
    const as = setUp();
    await as("admin", "POST", "/docs", start);
    const got = await as("clerk", "GET", "/docs/1");
    expect((await as("clerk", "PUT", "/docs/1", got.json)).json).toEqual(got.json);
    const replaced = await as("clerk", "PUT", "/docs/1", { name: "m" });
    expect([replaced.status, replaced.json]).toEqual([200, { id: 1, name: "m", role: "boss", quota: start.quota }]);
  });

  test("is kept by a PUT also where the schema requires it", async () => {
    const badges = defineResource("badges", {
      schema: z.object({ id: z.int(), name: z.string().min(1), level: z.int() }),
      generated: { id: "increment" },
      access: { level: { write: isAdmin } },
    });
    const as = setUp({ resources: [badges] });
    await as("admin", "POST", "/badges", { name: "n", level: 3 });
    expect((await as("clerk", "PUT", "/badges/1", { name: "m" })).json).toEqual({ id: 1, name: "m", level: 3 });
    const refused = await as("clerk", "PUT", "/badges/1", { name: "" });
    expect([refused.status, refused.json.errors]).toMatchObject([422, [{ pointer: "/name" }]]);
    expect((await as("clerk", "POST", "/badges", { name: "m" })).json.errors).toMatchObject([{ pointer: "/level" }]);
  });

  test("cannot be changed, removed or guessed", async () => {
    const as = setUp();
    await as("admin", "POST", "/docs", start);
    for (const body of [{ role: "user" }, { role: null }, { quota: null }, { quota: { size: 6 } }]) {
      expect((await as("clerk", "PATCH", "/docs/1", body)).status).toBe(403);
    }
    expect((await as("clerk", "PUT", "/docs/1", { name: "m", role: "user" })).status).toBe(403);
    expect((await as("clerk", "POST", "/docs", { name: "m", role: "user" })).status).toBe(403);
    expect((await as("clerk", "POST", "/docs", { name: "m" })).json).toMatchObject({ role: "user" });
    expect((await as("admin", "GET", "/docs/1")).json).toMatchObject({ role: "boss", quota: start.quota });
  });
});

test("no hint names a member of an object that the caller cannot read", async () => {
  const as = setUp();
  const body = { name: "n", note: { deepName: "x", deepNam: "y" } };
  expect((await as("clerk", "POST", "/docs", body)).text).not.toContain("deepName");
  expect((await as("admin", "POST", "/docs", body)).text).toContain("deepName");
});

describe("a caller whom authorize narrowed to some fields", () => {
  const authorize: FullServiceOptions["authorize"] = ({ principal }) => principal.id === "admin" || { fields: ["id", "name"] };

  test("keeps the others by a PUT, and learns nothing of them from lists", async () => {
    const as = setUp({ authorize });
    await as("admin", "POST", "/docs", start);
    expect((await as("clerk", "PUT", "/docs/1", { id: 1, name: "m" })).status).toBe(200);
    expect((await as("admin", "GET", "/docs/1")).json).toMatchObject({ name: "m", role: "boss", salary: 100 });
    for (const query of ["salary=100", "sort=-salary", "salary=1"]) expect((await as("clerk", "GET", `/docs?${query}`)).status).toBe(403);
    expect((await as("clerk", "GET", "/docs?salry=1")).text).not.toContain('"salary"');
    expect((await as("clerk", "GET", "/docs?name=m")).json.data).toEqual([{ id: 1, name: "m" }]);
  });

  test("can PUT a row that it names itself", async () => {
    const as = setUp({ authorize: () => ({ fields: ["title"] }) });
    expect((await as("clerk", "PUT", "/pages/a", { title: "t" })).json).toEqual({ title: "t" });
    expect((await as("clerk", "PUT", "/pages/a", { title: "u" })).json).toEqual({ title: "u" });
  });
});

test("a row that is hidden answers, byte for byte, as one that is missing", async () => {
  const as = setUp({ resources: [withScope(docs, () => false)] });
  await as("admin", "POST", "/docs", start);
  for (const [method, body] of [
    ["GET", undefined],
    ["PATCH", { name: "m" }],
    ["PUT", { name: "m" }],
    ["DELETE", undefined],
  ] as const) {
    const [hidden, missing] = [await as("clerk", method, "/docs/1", body), await as("clerk", method, "/docs/2", body)];
    expect(hidden.status).toBe(404);
    expect(hidden.text.replaceAll('\\"1\\"', "X")).toBe(missing.text.replaceAll('\\"2\\"', "X"));
  }
});

test("a PUT that may not create is 403 before its conditions are looked at", async () => {
  const as = setUp({ authorize: ({ action }) => action !== "create" });
  expect((await as("clerk", "PUT", "/pages/a", { title: "t" }, { "if-match": "*" })).status).toBe(403);
  expect((await as("clerk", "PATCH", "/pages/a", { title: "t" }, { "if-match": "*" })).status).toBe(404);
});

describe("a row that the client names", () => {
  test("cannot be renamed by a PATCH", async () => {
    const as = setUp();
    await as("admin", "PUT", "/pages/a", { title: "t" });
    expect((await as("admin", "PATCH", "/pages/a", { id: "a", title: "u" })).json).toEqual({ id: "a", title: "u" });
    const refused = await as("admin", "PATCH", "/pages/a", { id: "b" });
    expect([refused.status, refused.json.errors]).toMatchObject([422, [{ pointer: "/id" }]]);
  });

  test("is refused for another key's sake as such, whatever the condition", async () => {
    const as = setUp();
    await as("admin", "PUT", "/pages/a", { title: "t", slug: "s" });
    for (const tag of ["*", '"x"']) {
      const refused = await as("admin", "PUT", "/pages/b", { title: "t", slug: "s" }, { "if-none-match": tag });
      expect([refused.status, refused.json.code]).toEqual([422, "DUPLICATE_SLUG"]);
    }
  });

  test.each(["", ".", ".."])("must have a name that a path can hold: %j is 422", async (id) => {
    const refused = await setUp()("admin", "POST", "/pages", { id, title: "t" });
    expect([refused.status, refused.json.errors]).toMatchObject([422, [{ pointer: "/id" }]]);
  });
});
