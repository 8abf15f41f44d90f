// @long

import { belongsTo, defineResource, type ResourceOptions } from "restwright";
import { sqlStorage } from "restwright/sql";
import { decimal } from "restwright/values";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { SqlStatement } from "../../../../adapters/stores/sql/engine/executor.js";
import { postgresExecutor } from "../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { needs } from "../../../tools/engines.js";
import { watched } from "../../../tools/storage/sqlEngines.js";
import { type Checked, check, developersDatabases } from "./database.js";

const databaseWith = developersDatabases();

type Options = Partial<ResourceOptions<z.ZodObject>>;
type Table = NonNullable<Options["table"]>;

const basic = { id: z.int(), name: z.string() };

interface Case {
  /** The statements that make the table `t`. */
  readonly sql: string;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly table?: Partial<Table>;
  readonly options?: Options;
}

async function found({ sql, shape = basic, table = {}, options = {} }: Case): Promise<Checked> {
  const resource = defineResource("things", {
    schema: z.object(shape),
    ...options,
    table: { name: "t", managed: false, version: "hash", tenant: "shared", ...table },
  } as ResourceOptions<z.ZodObject>);
  return check(await databaseWith(sql), [resource]);
}

const plain = "create table t (id int primary key, name text not null);";

const differences: Readonly<Record<string, Case & { readonly says: readonly string[] }>> = {
  "a missing table": {
    sql: "",
    says: ['there is no table or view "t" in the search path of the connection; correct "table.name", or say { schema, name }'],
  },
  "a missing table of a schema": {
    sql: plain,
    table: { name: { schema: "shop", name: "t" } },
    says: ['there is no table or view "t" in the schema "shop"'],
  },
  "a missing column, with the nearest name": {
    sql: "create table t (id int primary key, naem text);",
    says: ['the field "name" has no column: there is no "name" in t. Did you mean "naem"? Then say: columns: { name: "naem" }.'],
  },
  "a missing column of a member": {
    sql: "create table t (id int primary key, city_name text);",
    shape: { id: z.int(), address: z.object({ city: z.string().nullable() }) },
    table: { columns: { address: { city: "city_nam" } } },
    says: ['"city_nam" in t. Did you mean "city_name"? Then say: columns: { address: { city: "city_name" } }.'],
  },
  "members that are texts in JSON": {
    sql: "create table t (id int primary key, made_at timestamptz, made_by text, made_in int8);",
    shape: { id: z.int(), made: z.object({ at: z.date().nullable(), by: z.string().nullable(), in: z.bigint().nullable() }) },
    table: { columns: { made: { at: "made_at", by: "made_by", in: "made_in" } } },
    says: [
      '"made.at" is datetime inside of an object, where it is a text, and cannot be in the column "made_at"; make it a field of its own, or map the object to a column of JSON.',
      '"made.in" is bigint inside of an object, where it is a text, and cannot be in the column "made_in"',
    ],
  },
  "elements that the field cannot have": {
    sql: "create table t (id int primary key, name text not null, ids int8[] not null, prices numeric[] not null, ats timestamptz[] not null, whatever int8[] not null);",
    shape: {
      ...basic,
      ids: z.array(z.boolean()),
      prices: z.array(z.number()),
      ats: z.array(z.string()),
      whatever: z.unknown(),
    },
    says: [
      'the field "ids" is array of boolean, which cannot be in the column "ids" of type bigint[]; fields of this column can be z.array(z.string()), z.array(z.int()), z.array(z.number()), z.array(z.bigint()).',
      'the field "prices" is array of number, which cannot be in the column "prices" of type numeric[]; fields of this column can be z.array(z.string()), z.array(decimal({ precision, scale })).',
      'the field "ats" is array of text, which cannot be in the column "ats" of type timestamp with time zone[]; fields of this column can be z.array(z.date()).',
      'the field "whatever" is unknown, which cannot be in the column "whatever" of type bigint[]; fields of this column can be z.array(z.string())',
    ],
  },
  "labels that the elements of an array lack": {
    sql: "create type mood as enum ('sad', 'ok'); create table t (id int primary key, name text not null, moods mood[] not null);",
    shape: { ...basic, moods: z.array(z.enum(["sad", "ok", "happy"])) },
    says: [`the field "moods" allows "happy", which the type mood lacks; remove them from the schema, or run: alter type mood add value 'happy';`],
  },
  "a type that the field cannot have": {
    sql: "create table t (id int primary key, name int8 not null, at timestamptz not null, n text not null);",
    shape: { id: z.int(), name: z.boolean(), at: z.string(), n: z.number() },
    says: [
      'the field "name" is boolean, which cannot be in the column "name" of type bigint; fields of this column can be z.string(), z.int(), z.number(), z.bigint().',
      "of type timestamp with time zone; fields of this column can be z.date().",
      'the field "n" is number, which cannot be in the column "n" of type text; fields of this column can be z.string().',
    ],
  },
  "a type that no field can have": {
    sql: "create table t (id int primary key, name interval not null);",
    says: ["of type interval; no field can: remove the field"],
  },
  "null in the column only": {
    sql: "create table t (id int primary key, name text);",
    says: ['the field "name" may not be null, but the column "name" may; say .nullable(), or run: alter table "t" alter column "name" set not null;'],
  },
  "null in the field only": {
    sql: plain,
    shape: { id: z.int(), name: z.string().nullable() },
    says: ['may be null, but the column "name" may not; remove .nullable(), or run: alter table "t" alter column "name" drop not null;'],
  },
  "a required column that no field fills": {
    sql: "create table t (id int primary key, name text not null, org int not null, made timestamptz not null default now());",
    says: [
      'the column "org" needs a value in each new row, but no field fills it; add a field, or run: alter table "t" alter column "org" set default …;',
    ],
  },
  "a field that may be left out of a required column": {
    sql: plain,
    shape: { id: z.int(), name: z.string().optional() },
    says: ['the field "name" may be left out, but its column "name" needs a value'],
  },
  "a generated column that a client may write": {
    sql: "create table t (id int primary key generated always as identity, name text generated always as ('x') stored);",
    shape: { id: z.int(), name: z.string().nullable() },
    says: ['"id" is in the column "id", which only the database fills; say generated: { id: "database" }.', 'say generated: { name: "database" }.'],
  },
  "a field that the database does not fill": {
    sql: plain,
    options: { generated: { id: "database" } },
    says: ['the field "id" is made by the database, but the column "id" has no default and no identity, and no trigger fills it'],
  },
  "a unique key without an index": {
    sql: plain,
    options: { unique: ["name"] },
    says: ['"unique" names "name", but no unique index has exactly this column; remove the key, or run: create unique index on "t" ("name");'],
  },
  "a unique key with indexes that do not guard it": {
    sql: `create table t (id int primary key, name text not null, unique (name) deferrable);
      create unique index part on t (name) where id > 5; create unique index wide on t (name, id); create unique index low on t (lower(name));`,
    options: { unique: ["name"] },
    says: ['no unique index has exactly this column ("'],
  },
  "a unique key of an index that does not exist": {
    sql: "create table t (id int primary key, name text not null); create unique index low on t (lower(name));",
    options: { unique: [{ fields: ["name"], index: "lo" }] },
    says: ['"unique" names the index "lo", which the table does not have; its unique indexes are "t_pkey", "low".'],
  },
  "an index for rows that are not deleted, of another condition": {
    sql: `create table t (id int primary key, name text not null, deleted_at timestamptz, gone bool not null default false);
      create unique index part on t (name) where not gone;`,
    table: { softDelete: { column: "deleted_at" } },
    options: { unique: ["name"] },
    says: ['("part" holds only for rows with (NOT gone)); remove the key, or run: create unique index on "t" ("name") where "deleted_at" is null;'],
  },
  "an id that is not unique": {
    sql: "create table t (id int not null, name text not null); create index on t (id);",
    says: ['the id "id" is not unique; choose another field as "id", or run: create unique index on "t" ("id");'],
  },
  "an id that is unique with the key of a partition only": {
    sql: "create table t (id int, name text, primary key (id, name)) partition by list (name);",
    says: ['the id "id" is not unique'],
  },
  "two fields in one column": {
    sql: "create table t (id int primary key, user_id text not null);",
    shape: { id: z.int(), userID: z.string(), userId: z.string() },
    table: { casing: "snake_case" },
    says: ['the fields "userID", "userId" are all in the column "user_id"; name a column for each'],
  },
  "fewer digits after the point than the column has": {
    sql: "create table t (id int primary key, price numeric(12, 4) not null);",
    shape: { id: z.int(), price: decimal({ precision: 12, scale: 2 }) },
    says: [
      'the field "price" has 2 digits after the point, but the column "price" has 4: values with more cannot be read; say decimal({ precision: 12, scale: 4 }).',
    ],
  },
  "labels that the type lacks": {
    sql: "create type mood as enum ('sad', 'ok'); create table t (id int primary key, name mood not null);",
    shape: { id: z.int(), name: z.enum(["ok", "it's"]) },
    says: [`allows "it's", which the type mood lacks; remove them from the schema, or run: alter type mood add value 'it''s';`],
  },
  "labels that the column cannot hold": {
    sql: "create table t (id int primary key, name varchar(2) not null);",
    shape: { id: z.int(), name: z.enum(["ok", "sad"]) },
    says: ['allows "sad", longer than the 2 characters of the column "name"'],
  },
  "xmin of a view": {
    sql: `create table a (id int primary key, name text not null); create view t as select * from a;`,
    table: { version: "xmin" },
    says: ['version "xmin" does not exist for a view; say version: "hash".'],
  },
  "xmin of a partitioned table": {
    sql: "create table t (id int primary key, name text not null) partition by list (id);",
    table: { version: "xmin" },
    says: ['version "xmin" does not exist for a partitioned table; say version: "hash".'],
  },
  "a version of milliseconds": {
    sql: "create table t (id int primary key, name text not null, at timestamp(3) not null default now());",
    table: { version: { column: "at" } },
    says: ["has 3 digits after the second: two writes within them would have one version."],
  },
  "a version that is null, of another type, or missing": {
    sql: "create table t (id int primary key, name text not null, v int, w text not null default 'x');",
    table: { version: { column: "v" } },
    says: ['the column "v" of "table.version" may be null, and a null does not count'],
  },
  "a version of another type": {
    sql: "create table t (id int primary key, name text not null, w text not null default 'x');",
    table: { version: { column: "w" } },
    says: ["is text; a version is an integer or a timestamp(6)"],
  },
  "a version without a column": {
    sql: plain,
    table: { version: { column: "v" } },
    says: ['names the column "v", which t does not have; say version: "hash".'],
  },
  "a version by a trigger that is missing": {
    sql: "create table t (id int primary key, name text not null, v int not null default 0);",
    table: { version: { column: "v", by: "trigger" } },
    says: ['is counted by a trigger, but t has no trigger on update; add it, or say by: "restwright".'],
  },
  "no version": { sql: plain, table: { version: undefined }, says: ['a table that is written needs "table.version"; say version: "hash"'] },
  "a version that clients may set": {
    sql: "create table t (id int primary key, name text not null, v int not null default 0);",
    shape: { ...basic, v: z.int() },
    table: { version: { column: "v" } },
    says: ['the field "v" is in the column of "table.version", which clients must not set; say generated: { v: "database" }'],
  },
  "columns with a purpose that are missing": {
    sql: plain,
    table: { updatedAt: "changed", tenant: { column: "org" }, softDelete: { column: "gone" } },
    says: [
      '"table.updatedAt" names the column "changed", which t does not have; its columns are "id", "name".',
      '"table.tenant" names',
      '"table.softDelete" names',
    ],
  },
  "columns with a purpose of a wrong type": {
    sql: "create table t (id int primary key, name text not null, at text not null default 'x', org jsonb, gone timestamptz not null default now());",
    table: { updatedAt: "at", tenant: { column: "org" }, softDelete: { column: "gone" } },
    says: [
      '"table.updatedAt" names "at" of type text; it needs a timestamp.',
      '"table.tenant" names "org" of type jsonb; it needs a text, a uuid or an integer.',
      '"table.softDelete" names "gone", which is never null, so that all rows are deleted; name a column that may be null.',
    ],
  },
  "names of nothing": {
    sql: "create table t (id int primary key, name text not null constraint short check (length(name) < 9));",
    table: {
      zone: "Europe/Bonn",
      constraints: { shrt: { detail: "Too long." }, short: { field: "title", detail: "Too long." } },
      raised: { "4500": { status: 409, code: "X" } },
      fold: { nam: "name_lower" },
    },
    says: [
      '"table.zone" is "Europe/Bonn", which is no time zone',
      '"table.constraints" names "shrt", which t does not have; its constraints are "short", "t_pkey".',
      '"table.constraints" names the field "title" for "short", which is not a field of the schema.',
      '"table.raised" names "4500"; an SQLSTATE has five digits and capitals',
      '"table.fold" names "nam", which is not a text field with a column.',
      '"table.fold" names the column "name_lower" for "nam", which t does not have',
    ],
  },
  "an offset as a zone": { sql: plain, table: { zone: "+02:00" }, says: ['"table.zone" is "+02:00", which is no time zone'] },
  "a view that cannot be written": {
    sql: "create table a (id int primary key, name text not null); create view t as select id, max(name) as name from a group by id;",
    says: ["t cannot be written; say readOnly: true, or add triggers instead of insert, update and delete."],
  },
  "a column that is named for an unknown field": {
    sql: plain,
    table: { columns: { title: "name" } },
    says: ['"table.columns" names "title", which is not a field of the schema.'],
  },
};

const accepted: Readonly<Record<string, Case & { readonly warns?: readonly string[] }>> = {
  "a table as it is described": { sql: plain },
  "a table in a schema by its search path, with capitals and dots": {
    sql: 'create table "My.T" ("Id" int primary key, "na me" text not null);',
    table: { name: "My.T", columns: { id: "Id", name: "na me" } },
  },
  "a unique key in another order, with the tenant, for rows that are not deleted": {
    sql: `create table t (id int primary key, name text not null, org int not null, deleted_at timestamptz);
      create unique index k on t (name, org) where deleted_at is null;`,
    table: { tenant: { column: "org" }, softDelete: { column: "deleted_at" } },
    options: { unique: ["name"] },
  },
  "a unique key by an expression, if its index is named": {
    sql: "create table t (id int primary key, name text not null); create unique index low on t (lower(name));",
    options: { unique: [{ fields: ["name"], index: "low" }] },
  },
  "null where it is not asked for": {
    sql: "create table t (id int primary key, name text, data jsonb);",
    shape: { id: z.int(), name: z.string().optional(), data: z.unknown() },
  },
  "columns that the database fills": {
    sql: `create table t (id serial primary key, name text not null, at timestamptz not null default now(), u text not null generated always as (name) stored);`,
    shape: { ...basic, at: z.date(), u: z.string() },
    options: { generated: { id: "database", at: "database", u: "database" } },
  },
  "columns that a trigger fills": {
    sql: `create table t (id int primary key, name text not null, slug text not null);
      create function fill() returns trigger language plpgsql as 'begin new.slug := new.name; return new; end';
      create trigger fill before insert on t for each row execute function fill();`,
  },
  "a required column of a collection whose rows are not created": {
    sql: "create table t (id int primary key, name text not null, org int not null);",
    options: { operations: ["list", "read", "update"] },
  },
  "a view for reading": {
    sql: "create table a (id int primary key, name text not null); create view t as select id, max(name) as name from a group by id;",
    table: { readOnly: true, version: undefined },
    warns: ['nothing says that the id "id" is unique in t'],
  },
  "unique indexes that are not declared": {
    sql: "create table t (id int primary key, name text not null unique, code text unique);",
    warns: [
      'the unique index "t_code_key" has an expression, or a column without a field: its conflicts are 422 DUPLICATE and name no field.',
      'the unique index "t_name_key" is not declared: its conflicts are answered, but no description tells of them; say unique: [["name"]].',
    ],
  },
  "unique indexes of a table that is not written": {
    sql: "create table t (id int primary key, name text not null unique, code text unique);",
    table: { readOnly: true, version: undefined },
  },
  "a unique index that cannot be declared": {
    sql: "create table t (id int primary key, name text not null); create unique index part on t (name) where id > 5;",
    warns: [
      'the unique index "part" is not declared: its conflicts are answered, but it cannot be declared, since it holds only for rows with (id > 5).',
    ],
  },
  "a key among all tenants and deleted rows": {
    sql: "create table t (id int primary key, name text not null unique, org int, deleted_at timestamptz);",
    table: { tenant: { column: "org" }, softDelete: { column: "deleted_at" } },
    options: { unique: ["name"] },
    warns: ["holds among all tenants: a conflict tells a client that another tenant has the value.", "also holds for deleted rows"],
  },
  "e-mail addresses that are compared exactly": {
    sql: "create table t (id int primary key, name text not null unique);",
    shape: { id: z.int(), name: z.email() },
    options: { unique: ["name"] },
    warns: ['the unique key of "name" ("t_name_key") compares e-mail addresses exactly'],
  },
  "labels that only the database has": {
    sql: "create type mood as enum ('sad', 'ok'); create table t (id int primary key, name mood not null);",
    shape: { id: z.int(), name: z.enum(["ok"]) },
    warns: ['the field "name" does not list "sad" of the type mood'],
  },
  "fewer digits before the point than the column has": {
    sql: "create table t (id int primary key, price numeric(12, 4) not null);",
    shape: { id: z.int(), price: decimal({ precision: 6, scale: 4 }) },
    warns: ['the field "price" has 2 digits before the point, but the column "price" has 8: rows with more are shown'],
  },
  "more digits than the column has": {
    sql: "create table t (id int primary key, price numeric(12, 4) not null, cost numeric not null);",
    shape: { id: z.int(), price: decimal({ precision: 14, scale: 5 }), cost: decimal({ precision: 40, scale: 9 }) },
    warns: [
      'allows 9 digits before the point and 5 after it, but the column "price" has 8 and 4: more are 422 INVALID_VALUE; say decimal({ precision: 12, scale: 4 }).',
    ],
  },
  "decimals that are null if they cannot be read": {
    sql: "create table t (id int primary key, price numeric(12, 4));",
    shape: { id: z.int(), price: decimal({ precision: 12, scale: 2 }).nullable() },
    table: { unreadable: "null" },
    warns: ['the field "price" has 2 digits after the point, but the column "price" has 4: values with more cannot be read'],
  },
  "longer texts than the column holds": {
    sql: "create table t (id int primary key, name varchar(9) not null);",
    shape: { id: z.int(), name: z.string().max(10) },
    warns: ['allows 10 characters, but the column "name" holds 9: longer texts are 422 INVALID_VALUE; say .max(9).'],
  },
  "no length in the schema": { sql: "create table t (id int primary key, name varchar(9) not null);" },
};

describe("the check of tables at start-up (set POSTGRES_URL to run)", needs("postgres"), () => {
  test.each(Object.entries(differences))("refuses %s", async (_, { says, ...mapped }) => {
    const { differences: lines } = await found(mapped);
    expect(lines).toHaveLength(says.length);
    for (const [index, sentence] of says.entries()) expect(lines[index]).toContain(sentence);
    for (const line of lines) expect(line).toMatch(/^things: .+[.;]$/);
  });

  test.each(Object.entries(accepted))("accepts %s", async (_, { warns = [], ...mapped }) => {
    const { differences: lines, warnings } = await found(mapped);
    expect(lines).toEqual([]);
    expect(warnings).toHaveLength(warns.length);
    for (const [index, sentence] of warns.entries()) expect(warnings[index]).toContain(sentence);
  });

  test("passes on a database that is read-only, as a replica is", async () => {
    const database = await databaseWith(plain);
    const things = defineResource("things", {
      schema: z.object(basic),
      table: { name: "t", managed: false, version: "hash", tenant: "shared" },
    });
    await check(database, [things]);
    const address = new URL(database.connectionString);
    address.searchParams.set("options", `${address.searchParams.get("options")} -c default_transaction_read_only=on`);
    expect(await check({ ...database, connectionString: address.href }, [things])).toEqual({ differences: [], warnings: [] });
  });

  test("finds the differences of all collections at once", async () => {
    const database = await databaseWith(`create table a (id int, x text); create table b (id int primary key);`);
    const mapped = (name: string) =>
      defineResource(name, { schema: z.object(basic), table: { name, managed: false, version: "xmin", tenant: "shared" } });
    const { differences: lines } = await check(database, [mapped("a"), mapped("b"), mapped("c")]);
    expect(lines.map((line) => line.replace(/ (?:may|has|is) .*/, ""))).toEqual([
      'a: the field "name"',
      'a: the field "id"',
      'a: the id "id"',
      'b: the field "name"',
      "c: there",
    ]);
  });

  test("tells what the database deletes by itself, and which deleted rows stay in use", async () => {
    const database = await databaseWith(`create table p (id int primary key);
      create table kept (id int primary key, p_id int not null references p on delete cascade);
      create table gone (id int primary key, p_id int not null references p, deleted_at timestamptz);`);
    const table = { managed: false, version: "hash", tenant: "shared", casing: "snake_case" } as const;
    const p = defineResource("parents", { schema: z.object({ id: z.int() }), table: { ...table, name: "p" } });
    const schema = z.object({ id: z.int(), pId: z.int() });
    const child = (onDelete: "cascade" | undefined) =>
      defineResource("children", { schema, relations: { parent: belongsTo("parents", "pId", { onDelete }) }, table: { ...table, name: "kept" } });
    const soft = defineResource("soft", { schema, table: { ...table, name: "gone", softDelete: { column: "deleted_at" } } });
    expect((await check(database, [p, child(undefined), soft])).warnings).toEqual([
      expect.stringContaining('children: the foreign key "kept_p_id_fkey" deletes rows of "children" with their row of "parents", without hooks'),
      'soft: deleted rows of "soft" keep their "pId": when a row of "parents" is deleted, they still refuse its delete with 409 ROW_IN_USE.',
    ]);
    expect((await check(database, [p, child("cascade")])).warnings).toEqual([]);
  });

  test("reads the catalogue of fifty tables in four statements", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `t${index}`);
    const database = await databaseWith(
      names.map((name) => `create table ${name} (id serial primary key, name text not null, t0 int references t0);`).join("\n"),
    );
    const schema = z.object({ ...basic, t0: z.int().nullable() });
    const models = names.map(
      (name) =>
        defineResource(name, { schema, generated: { id: "database" }, table: { name, managed: false, version: "hash", tenant: "shared" } }).model,
    );
    const statements: SqlStatement[] = [];
    const executor = postgresExecutor({ connectionString: database.connectionString });
    const counted = sqlStorage(watched(executor, statements));
    await counted.migrate?.(models);
    await executor.close?.();
    const catalogue = statements.filter(({ text }) => /\bpg_(?:class|attribute|index|constraint)\b/.test(text));
    expect(catalogue).toHaveLength(4);
  });
});
