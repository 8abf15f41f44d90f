// @slow

import fc from "fast-check";
import { belongsTo, defineResource, hasMany } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Sent } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

/** Two names of one length, equally far from every other: one is a field that hides, the other is nothing. */
const hidden = "zzsecret";
const absent = "zzabsent";

const rules = {
  "write-only": { read: false },
  "hidden by a rule": { read: () => false, write: true, onForbidden: "hide" },
  "hidden by a rule for each use": { read: () => false, filter: () => false, sort: () => false, write: true, onForbidden: "hide" },
} as const;

async function serviceOf(access: (typeof rules)[keyof typeof rules]) {
  const secret = {
    text: z.string().optional(),
    number: z.number().optional(),
    list: z.array(z.string()).optional(),
    object: z.object({ city: z.string() }).optional(),
  };
  const shape = (type: z.ZodType) => z.object({ id: z.int(), name: z.string(), ownerId: z.int().optional(), [hidden]: type });
  const make = (name: string, type: z.ZodType) =>
    defineResource(name, {
      schema: shape(type),
      generated: { id: "increment" },
      access: { [hidden]: access },
      relations: { owner: belongsTo("owners", "ownerId", { filter: ["name"], enforce: false }) },
    });
  const owners = defineResource("owners", {
    schema: z.object({ id: z.int(), name: z.string(), [hidden]: z.string().optional() }),
    generated: { id: "increment" },
    access: { [hidden]: access },
    search: ["name"],
    relations: { texts: hasMany("texts", "ownerId") },
  });
  const resources = [owners, make("texts", secret.text), make("numbers", secret.number), make("lists", secret.list), make("objects", secret.object)];
  const send = clientOf(
    fullService({ resources, storage: memoryStorage(), secrets: ["sixteen bytes at least"], ids: { uuid: () => "id", ulid: ulids() } }),
  );
  expect((await send({ method: "POST", target: "/owners", body: { name: "o", [hidden]: "abc" } })).status).toBe(201);
  const values = { texts: "abc", numbers: 5, lists: ["a", "b"], objects: { city: "x" } };
  for (const [name, value] of Object.entries(values)) {
    expect((await send({ method: "POST", target: `/${name}`, body: { name: "a", ownerId: 1, [hidden]: value } })).status).toBe(201);
    await send({ method: "POST", target: `/${name}`, body: { name: "b", ownerId: 1 } });
  }
  return send;
}

function ulids(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return String(count).padStart(26, "0");
  };
}

const X = "\u0001";
const operators = ["eq", "ne", "in", "nin", "gt", "gte", "lt", "lte", "like", "all", "exists", "foo", "city", ""];
const value = fc.oneof(
  fc.constantFrom("", "*", "abc", "5", "a,b", "%zz", "%C3", "%2A", "true", "%00", "x".repeat(600), "1,".repeat(120)),
  fc.string({ maxLength: 5 }).map(encodeURIComponent),
);
const operator = fc.constantFrom(...operators);
const spelled = fc.oneof(
  fc.constantFrom(
    X,
    `${X}!`,
    `${X}[]`,
    `${X}.city`,
    `${X}[city]`,
    `${X}_city`,
    `${X}%5Bcity%5D`,
    `${X}s`,
    X.concat(X),
    `owner.${X}`,
    `owner[${X}]`,
    `owner.${X}!`,
  ),
  operator.map((name) => `${X}[${name}]`),
  operator.map((name) => `${X}__${name}`),
  operator.map((name) => `${X}[city][${name}]`),
  operator.map((name) => `${X}[${name}][]`),
);
const condition = fc.tuple(spelled, value).map(([key, text]) => `${key}=${text}`);
const control = fc.constantFrom(
  ...[
    `sort=${X}`,
    `sort=-${X},name`,
    `sort=name,${X}`,
    `sort=${X}.city`,
    `has=${X}`,
    `has=name,${X}`,
    `has=${X}.city`,
    `fields=${X}`,
    `fields=id,${X}`,
  ],
  ...[
    `fields=*,-${X}`,
    `fields=${X}{city}`,
    `fields=id,${X}.city`,
    `exclude=${X}`,
    `exclude=${X}.city`,
    `include=${X}`,
    `include=owner&fields[owners]=${X}`,
  ],
  ...[
    `fields=id,owner{${X}}`,
    `fields[owners]=${X}`,
    `expand=${X}`,
    `fields[${X}]=id`,
    `include=owner&exclude=owner.${X}`,
    `q=abc`,
    `search=abc`,
    `sort=owner.${X}`,
  ],
);
const plain = fc.constantFrom("name=a", "perPage=1", "page=2", "count=none", "fields=id", "cursor=x", "nmae=a", "total=5", `${X}=1&${X}=2`, "");
const query = fc
  .array(fc.oneof({ weight: 3, arbitrary: condition }, { weight: 2, arbitrary: control }, plain), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("&"));
const collection = fc.constantFrom("texts", "numbers", "lists", "objects", "owners");

const json: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    "abc",
    5,
    null,
    true,
    ["a"],
    [],
    { city: "x" },
    { eq: "abc" },
    { like: "a*" },
    { exists: true },
    { foo: 1 },
    { gte: 5, lt: 6 },
    { city: { eq: "x" } },
  ),
);
const where = fc.oneof(
  json.map((each) => ({ [X]: each })),
  json.map((each) => ({ or: [{ name: "a" }, { [X]: each }] })),
  json.map((each) => ({ not: { [X]: each } })),
  json.map((each) => ({ [`${X}.city`]: each })),
  json.map((each) => ({ owner: { [X]: each } })),
);
const body = fc.record(
  {
    filter: where,
    sort: fc.constantFrom<unknown[]>(X, [`-${X}`], "name"),
    fields: fc.constantFrom<unknown[]>(X, ["id", X], { owners: X }),
    exclude: fc.constant(X),
    include: fc.constantFrom(X, "owner"),
    q: fc.constant("abc"),
  },
  { requiredKeys: [] },
);

const request: fc.Arbitrary<Sent> = fc.oneof(
  fc.tuple(collection, query).map(([name, text]) => ({ target: `/${name}?${text}` })),
  fc.tuple(collection, query).map(([name, text]) => ({ target: `/${name}/1?${text}` })),
  query.map((text) => ({ target: `/owners/1/texts?${text}` })),
  fc.tuple(collection, body).map(([name, sent]) => ({ method: "QUERY", target: `/${name}`, body: sent })),
  fc.tuple(collection, body).map(([name, sent]) => ({ method: "POST", target: "/searches", body: { collection: name, ...sent } })),
);

function naming({ target, body: sent, ...rest }: Sent, name: string): Sent {
  // JSON escapes the placeholder.
  const named = sent === undefined ? undefined : JSON.stringify(sent).replaceAll("\\u0001", name);
  return { ...rest, target: target.replaceAll(X, name), ...(named === undefined ? {} : { body: named }) };
}

describe.each(Object.entries(rules))("a field that is %s", (_, access) => {
  test("answers every query byte for byte as a field that does not exist", async () => {
    const send = await serviceOf(access);
    const numRuns = propertyRuns(3_000);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(request, async (sent) => {
        const [one, other] = [await send(naming(sent, hidden)), await send(naming(sent, absent))];
        const replace = (text: string) => text.replaceAll(hidden, absent);
        expect(one.status).toBeLessThan(500);
        expect([one.status, replace(one.text)]).toEqual([other.status, other.text]);
        expect(replace(JSON.stringify(one.headers))).toBe(JSON.stringify(other.headers));
        if (one.status === 400) refused += 1;
      }),
      { numRuns },
    );
    expect(refused).toBeGreaterThan(numRuns / 3);
  });

  test("is shown nowhere, found by no search and named by no hint", async () => {
    const send = await serviceOf(access);
    for (const target of ["/texts", "/texts/1", "/texts?fields=*", "/owners?include=texts", "/texts?include=owner", "/owners/1/texts"]) {
      const { status, text } = await send({ target });
      expect([status, text.includes(hidden), text.includes("abc")], target).toEqual([200, false, false]);
    }
    expect((await send({ target: "/owners?q=abc" })).json.data).toEqual([]);
    for (const target of ["/texts?zzsecre=1", "/texts?fields=zzsecre", "/texts?sort=zzsecre", "/texts?total=1"]) {
      expect((await send({ target })).text, target).not.toContain(hidden);
    }
  });
});
