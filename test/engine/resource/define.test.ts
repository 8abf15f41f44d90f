import { belongsTo, ConfigurationError, defineResource } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { TableOptions } from "../../../src/ground/storage/tableOptions.js";
import { fullService } from "../../tools/fullService.js";

const schema = z.object({ id: z.int(), name: z.string(), ownerId: z.string() });

/** What only JavaScript can say: the compiler refuses most of these. */
const definitions: [string, () => unknown, RegExp][] = [
  ["a name that is no path segment", () => defineResource("a/b", { schema }), /"a\/b" cannot name a collection/],
  [
    "a name that begins with a digit",
    () => defineResource("123-odd", { schema }),
    /"123-odd" cannot name a collection: a letter, then letters, digits/,
  ],
  ["no id field", () => defineResource("things", { schema: z.object({ key: z.int() }) }), /no id field "id"/],
  ["an id of a wrong type", () => defineResource("things", { schema: z.object({ id: z.boolean() }) }), /must be a string, an integer or a bigint/],
  ["an optional id", () => defineResource("things", { schema: z.object({ id: z.int().optional() }) }), /cannot be nullable or optional/],
  ["a number that is no integer as id", () => defineResource("things", { schema: z.object({ id: z.number() }) }), /must be a string, an integer/],
  [
    "an unknown field",
    () => defineResource("things", { schema, unique: ["nmae" as "name"] }),
    /"unique" names "nmae"; the schema has: id, name, ownerId/,
  ],
  [
    "a reserved word",
    () => defineResource("things", { schema: z.object({ id: z.int(), sort: z.int() }) }),
    /uses the word "sort": name the field otherwise/,
  ],
  ["a name of the store's", () => defineResource("things", { schema: z.object({ id: z.int(), _version: z.int() }) }), /begin with "_"/],
  ["__proto__", () => defineResource("things", { schema: z.object({ id: z.int(), ["__proto__"]: z.int() }) }), /__proto__|begin with "_"/],
  [
    "a counter that is not the id",
    () => defineResource("things", { schema: z.object({ id: z.int(), n: z.int() }), generated: { id: "increment", n: "increment" } }),
    /only the id can be an "increment"/,
  ],
  ["a field that is read-only and required", () => defineResource("things", { schema, readOnly: ["name"] }), /read-only and required/],
  [
    "a field that is hidden and required",
    () => defineResource("things", { schema, access: { name: { read: () => false, onForbidden: "hide" } } }),
    /hidden from some principals and required/,
  ],
  [
    "a date-time without an offset",
    () => defineResource("things", { schema: z.object({ id: z.int(), at: z.iso.datetime({ local: true }) }) }),
    /has no offset/,
  ],
  [
    "a field named as a member of another",
    () => defineResource("things", { schema: z.object({ id: z.int(), a: z.object({ b: z.string() }), "a.b": z.int() }) }),
    /"a.b" names two fields/,
  ],
  [
    "a renamed field that it lacks",
    () => defineResource("things", { schema, renamedFrom: { nmae: "title" } as never }),
    /"renamedFrom" names "nmae"; the schema has: id/,
  ],
  ["a renamed id", () => defineResource("things", { schema, renamedFrom: { id: "key" } }), /"renamedFrom" names the id "id"/],
  [
    "two fields in one column",
    () => defineResource("things", { schema, renamedFrom: { name: "id" } }),
    /"name" was called "id", which is another field/,
  ],
  [
    "a backfill of a field that it lacks",
    () => defineResource("things", { schema, backfill: { nmae: () => "" } as never }),
    /"backfill" names "nmae"/,
  ],
  [
    "a backfill of a field that may be null",
    () => defineResource("things", { schema: schema.extend({ note: z.string().nullable() }), backfill: { note: () => "" } }),
    /"backfill" names "note", which may have no value/,
  ],
  [
    "a backfill of a table of the developer",
    () =>
      defineResource("things", {
        schema,
        backfill: { name: () => "" },
        table: { name: "things", managed: false, version: "hash", tenant: "shared" },
      }),
    /"renamedFrom" and "backfill" are for tables of this library/,
  ],
  [
    "a relation named as a field",
    () => defineResource("things", { schema, relations: { name: belongsTo("owners", "ownerId") } }),
    /the relation "name" has the name of a field/,
  ],
];

test.each(definitions)("a resource with %s is refused at start-up", (_, define, message) => {
  expect(define).toThrow(ConfigurationError);
  expect(define).toThrow(message);
});

describe("a service", () => {
  const storage = memoryStorage();
  const things = defineResource("things", { schema, relations: { owner: belongsTo("owners", "ownerId") } });
  const owners = defineResource("owners", { schema: z.object({ id: z.string() }) });
  const numbered = defineResource("owners", { schema: z.object({ id: z.int() }) });

  test.each([
    ["two resources of one name", () => fullService({ resources: [owners, numbered], storage }), /Two resources are called "owners"/],
    ["a relation to nowhere", () => fullService({ resources: [things], storage }), /names "owners", which is not a resource/],
    ["a foreign key of another type", () => fullService({ resources: [things, numbered], storage }), /their types differ/],
    [
      "a probe on a resource's path",
      () => fullService({ resources: [owners], storage, probes: { health: "/owners" } }),
      /is the path of a resource or of a capability/,
    ],
    ["a probe that is no path", () => fullService({ resources: [owners], storage, probes: { ready: "ready?" } }), /cannot be a probe's path/],
    [
      "two verifiers of one scheme",
      () => fullService({ resources: [owners], storage, auth: [bearer(() => null), bearer(() => null)] }),
      /Two verifiers are of the scheme "Bearer"/,
    ],
    ["a baseUrl that is none", () => fullService({ resources: [owners], storage, baseUrl: "not a url" }), /"baseUrl" must be an http or https URL/],
    ["a limit that is none", () => fullService({ resources: [owners], storage, limits: { perPage: 0 } }), /"limits.perPage"/],
  ])("with %s is refused at start-up", (_, create, message) => {
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(message);
  });

  test("with relations that hold starts", () => {
    expect(() => fullService({ resources: [things, owners], storage })).not.toThrow();
  });
});

const filled = z.object({ id: z.int(), tenantId: z.string(), owner: z.string(), place: z.object({ tenantId: z.string() }) });
const shop = { name: "things", managed: false, version: "hash", tenant: { column: "tenant_id" } } as const;

test.each<[string, TableOptions, readonly string[]]>([
  ["in snake case", { ...shop, casing: "snake_case" }, ["owner", "place"]],
  ["by its name", { ...shop, columns: { owner: "tenant_id" } }, ["tenantId", "place"]],
  ["by none, as a field of a similar name has another column", shop, ["tenantId", "owner", "place"]],
  [
    "by none, as the field has a column of another name",
    { ...shop, casing: "snake_case", columns: { tenantId: "tenantid" } },
    ["tenantId", "owner", "place"],
  ],
  ["by a member of an object, which a hook fills", { ...shop, columns: { place: { tenantId: "tenant_id" } } }, ["tenantId", "owner", "place"]],
])("only the top-level field that shows the column of the tenant is filled by the store: %s", (_, table, made) => {
  const generated = { id: "database", tenantId: "code", owner: "code", place: "code" } as const;
  expect(defineResource("things", { schema: filled, generated, table }).model.madeInCode).toEqual(made);
});
