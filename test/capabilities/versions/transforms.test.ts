import { type AuthorizationQuestion, createService, defineResource, type ServiceOptions } from "restwright";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { change, rename, versions } from "restwright/versions";
import { expect, test } from "vitest";
import { z } from "zod";
import { withScope } from "../../engine/rules/withScope.js";
import { clientOf } from "../../tools/client.js";

/** The newest form; v1 and v2 are older. */
const fields = z.object({
  id: z.int(),
  givenName: z.string().min(1),
  familyName: z.string().default(""),
  cents: z.int().min(0),
  madeAt: z.date(),
  bornOn: z.date().nullable().default(null),
  secret: z.string().optional(),
  grade: z.enum(["a", "b"]).default("a"),
  level: z.string().default("new"),
});

const schema = fields.refine(({ givenName, familyName }) => givenName !== familyName, {
  message: "Must differ from the other name.",
  path: ["familyName"],
});

const v2 = [
  // Two members become one.
  change({
    replaces: fields.pick({ givenName: true, familyName: true }),
    by: z.object({ fullName: z.string() }),
    read: ({ givenName, familyName }) => ({ fullName: `${givenName} ${familyName}`.trim() }),
    write({ fullName }) {
      const [givenName = "", ...rest] = fullName.split(" ");
      return { givenName, familyName: rest.join(" ") };
    },
  }),
  // A member with another type and name.
  change({
    replaces: fields.pick({ cents: true }),
    by: z.object({ price: z.string().regex(/^\d+\.\d\d$/) }),
    read: ({ cents }) => ({ price: (cents / 100).toFixed(2) }),
    write: ({ price }) => ({ cents: Math.round(Number(price) * 100) }),
  }),
  rename({ from: "madeAt", to: "created_at", type: fields.shape.madeAt }),
  rename({ from: "bornOn", to: "birthday", type: fields.shape.bornOn }),
  rename({ from: "secret", to: "hidden", type: fields.shape.secret }),
];

const v1 = [
  // v1 did not know grades, and always said which kind a person was.
  change({ replaces: fields.pick({ grade: true }), by: z.object({}), read: () => ({}), write: () => ({}) }),
  change({
    replaces: z.object({}),
    by: z.object({ kind: z.literal("person").default("person") }),
    read: () => ({ kind: "person" as const }),
    write: () => ({}),
  }),
  // It changes what v2 has, so v2 can change without it.
  change({
    replaces: z.object({ fullName: z.string() }),
    by: z.object({ name: z.object({ whole: z.string() }) }),
    read: ({ fullName }) => ({ name: { whole: fullName } }),
    write: ({ name }) => ({ fullName: name.whole }),
  }),
];

const people = defineResource("people", {
  schema,
  generated: { id: "increment", madeAt: "createdAt" },
  readOnly: ["level"],
  access: { secret: { read: (principal) => principal.id === "boss", write: (principal) => principal.id === "boss" } },
  versions: { v2, v1 },
  create: async ({ givenName }) => ({ level: `${givenName.length}` }),
});

function start(options: Partial<ServiceOptions> = {}) {
  const own = versions({ vendor: "acme", default: "v3", schema: "v3", supported: { v1: {}, v2: {}, v3: {} } });
  const client = clientOf(createService({ resources: [people], storage: memoryStorage(), use: [batch(), own], ...options }));
  return (version: string, line: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const [method = "GET", target = "/"] = line.split(" ");
    return client({ method, target, body, headers: { "x-api-version": version, ...headers } });
  };
}

const merge = { "content-type": "application/merge-patch+json" };

test("versions are derived from each other: split, merged, renamed, retyped, removed and added members", async () => {
  const send = start();
  const made = await send("v3", "POST /people", {
    givenName: "Ada",
    familyName: "Lovelace",
    cents: 1250,
    bornOn: "1815-12-10T00:00:00Z",
    grade: "b",
  });
  expect(made.status, made.text).toBe(201);
  const { json: three } = await send("v3", "GET /people/1");
  const { json: two } = await send("v2", "GET /people/1");
  const { json: one } = await send("v1", "GET /people/1");
  const same = { id: 1, price: "12.50", created_at: three.madeAt, birthday: "1815-12-10T00:00:00.000Z", level: "3" };
  expect(three).toMatchObject({ cents: 1250, level: "3", grade: "b" });
  expect(two).toEqual({ ...same, fullName: "Ada Lovelace", grade: "b" });
  expect(one).toEqual({ ...same, name: { whole: "Ada Lovelace" }, kind: "person" });
});

test("a version writes what it shows: by POST, PUT and PATCH, through every version between", async () => {
  const send = start();
  const made = await send("v1", "POST /people", { name: { whole: "Ada Lovelace" }, price: "1.00", birthday: "1815-12-10T01:00:00+01:00" });
  expect(made, made.text).toMatchObject({ status: 201, json: { kind: "person", name: { whole: "Ada Lovelace" }, level: "3" } });
  expect((await send("v3", "GET /people/1")).json).toMatchObject({
    givenName: "Ada",
    familyName: "Lovelace",
    cents: 100,
    grade: "a",
    bornOn: "1815-12-10T00:00:00.000Z",
  });
  await send("v3", "PATCH /people/1", { grade: "b" }, merge);
  // v1 does not know the grade, so it does not lose it.
  const { json: shown } = await send("v1", "GET /people/1");
  const put = await send("v1", "PUT /people/1", { ...shown, price: "2.00", birthday: null });
  expect(put, put.text).toMatchObject({ status: 200, json: { price: "2.00", birthday: null } });
  const { json: after } = await send("v3", "GET /people/1");
  expect(after).toMatchObject({ cents: 200, grade: "b", madeAt: shown.created_at, bornOn: null });
  await send("v1", "PATCH /people/1", { name: { whole: "Augusta King" } }, merge);
  expect((await send("v3", "GET /people/1")).json).toMatchObject({ givenName: "Augusta", familyName: "King", cents: 200, grade: "b" });
  const steps = [{ op: "copy", from: "/name/whole", path: "/price" }];
  expect(await send("v1", "PATCH /people/1", steps, { "content-type": "application/json-patch+json" })).toMatchObject({
    status: 422,
    json: { errors: [{ pointer: "/price" }] },
  });
  // The server sets it, so that another value is ignored, as that of every read-only member.
  expect((await send("v1", "PUT /people/1", { ...shown, created_at: "2000-01-01T00:00:00Z" })).json).toMatchObject({ created_at: shown.created_at });
});

test("the rules of the schema hold in every version, and their faults point to its members", async () => {
  const send = start();
  const post = async (version: string, body: unknown) => {
    const { status, json } = await send(version, "POST /people", body);
    return [status, json.errors?.map(({ pointer }: { pointer: string }) => pointer)];
  };
  expect(await post("v2", { fullName: "", price: "1.00" })).toEqual([422, ["/fullName"]]);
  expect(await post("v2", { fullName: "Ada Ada", price: "1.00" })).toEqual([422, ["/fullName"]]);
  expect(await post("v1", { name: { whole: "Ada Ada" }, price: "1.00" })).toEqual([422, ["/name"]]);
  expect(await post("v1", { name: { whole: "Ada" }, price: "1" })).toEqual([422, ["/price"]]);
  const items = [
    { fullName: "Ada Ada", price: "1.00" },
    { fullName: "Ada", price: "1.00" },
  ];
  const { json } = await send("v2", "POST /people/batch", { items });
  expect(json.results.map(({ status }: { status: number }) => status)).toEqual([422, 201]);
  expect((await send("v2", "PATCH /people/1", { fullName: "Bob Bob" }, merge)).status).toBe(422);
});

test("a renamed field is filtered and sorted by its new name only", async () => {
  const send = start();
  for (const year of [1990, 1980]) await send("v2", "POST /people", { fullName: "A", price: "1.00", birthday: `${year}-01-01T00:00:00Z` });
  const ids = async (version: string, query: string) => (await send(version, `GET /people?${query}`)).json.data.map(({ id }: { id: number }) => id);
  expect(await ids("v2", "sort=birthday")).toEqual([2, 1]);
  expect(await ids("v1", "sort=-birthday&fields=id")).toEqual([1, 2]);
  expect(await ids("v1", "birthday[lt]=1985-01-01")).toEqual([2]);
  expect(await ids("v2", "created_at[exists]=true&sort=id")).toEqual([1, 2]);
  for (const query of ["bornOn[lt]=1985-01-01", "sort=bornOn", "fields=bornOn", "fullName=A", "sort=price"]) {
    expect((await send("v2", `GET /people?${query}`)).status, query).toBe(400);
  }
});

test("a member follows the rights on the fields that it is made from", async () => {
  const verify = async (request: { headers: { get(name: string): string | undefined } }) => ({ id: request.headers.get("authorization") ?? "" });
  const auth = [{ scheme: "Test", challenge: () => "Test", verify }] as unknown as NonNullable<ServiceOptions["auth"]>;
  const send = start({ auth });
  const boss = { authorization: "boss" };
  const clerk = { authorization: "clerk" };
  const body = { fullName: "Ada", price: "1.00", hidden: "x" };
  expect((await send("v2", "POST /people", body, clerk)).status).toBe(403);
  expect((await send("v2", "POST /people", body, boss)).json.hidden).toBe("x");
  expect((await send("v2", "GET /people/1", undefined, clerk)).json).not.toHaveProperty("hidden");
  expect((await send("v2", "GET /people?hidden=x", undefined, clerk)).status).toBe(403);
  expect((await send("v2", "GET /people?hidden=x", undefined, boss)).json.data).toHaveLength(1);
});

test("authorize is asked about fields of the schema", async () => {
  const asked: AuthorizationQuestion[] = [];
  const authorize = async (question: AuthorizationQuestion) => {
    asked.push(question);
    return question.action === "read" ? { fields: ["id", "givenName", "familyName", "bornOn"] } : true;
  };
  const send = start({ authorize });
  await send("v2", "POST /people", { fullName: "Ada Lovelace", price: "1.00" });
  expect(asked.at(-1)?.fields).toEqual(["givenName", "familyName", "cents"]);
  expect((await send("v1", "GET /people/1")).json).toEqual({ id: 1, name: { whole: "Ada Lovelace" }, birthday: null, kind: "person" });
  await send("v1", "PATCH /people/1", { name: { whole: "B" } }, merge);
  expect(asked.at(-1)).toMatchObject({ action: "update", fields: ["givenName", "familyName"] });
});

test("a scope names fields of the schema, and holds in every version", async () => {
  const scoped = withScope(people, ({ action, when }) => {
    if (action === "remove" || (action === "update" && when === "before")) return { grade: "a" };
    return { familyName: "Lovelace" };
  });
  const send = start({ resources: [scoped], auth: [bearer((id) => ({ id }))] });
  const admin = { authorization: "Bearer admin" };
  const clerk = { authorization: "Bearer clerk" };
  for (const [familyName, grade] of [
    ["Lovelace", "a"],
    ["Byron", "a"],
    ["Lovelace", "b"],
  ]) {
    await send("v3", "POST /people", { givenName: "Ada", familyName, cents: 1, grade }, admin);
  }
  for (const [version, renamed] of [
    ["v1", { name: { whole: "B" } }],
    ["v2", { fullName: "B" }],
    ["v3", { familyName: "B" }],
  ] as const) {
    expect((await send(version, "GET /people?sort=id", undefined, clerk)).json.data.map(({ id }: { id: number }) => id)).toEqual([1, 3]);
    expect((await send(version, "GET /people/2", undefined, clerk)).status).toBe(404);
    const changed = await send(version, "PATCH /people/1", renamed, { ...merge, ...clerk });
    expect([changed.status, changed.json.code]).toEqual([403, "OUT_OF_SCOPE"]);
    const locked = await send(version, "DELETE /people/3", undefined, clerk);
    expect([locked.status, locked.json.code]).toEqual([403, "FORBIDDEN"]);
  }
  const created = await send("v1", "POST /people", { name: { whole: "Bob" }, price: "1.00" }, clerk);
  expect([created.status, created.json.code]).toEqual([403, "OUT_OF_SCOPE"]);
  expect((await send("v3", "GET /people?sort=id", undefined, admin)).json.data).toHaveLength(3);
});
