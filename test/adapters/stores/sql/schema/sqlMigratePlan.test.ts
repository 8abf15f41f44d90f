import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError, createService, defineResource } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { needs, skipBecause } from "../../../../tools/engines.js";
import { programFolder } from "../../../../tools/programFolder.js";
import { run } from "../../../cli/stage.js";
import { opened, places, postgresPlace } from "./sqlPlaces.js";

const shape = { id: z.int(), email: z.email(), tags: z.array(z.string()) };
const users = defineResource("users", { schema: z.object(shape), generated: { id: "increment" }, unique: ["email"], index: ["tags"] });
const wider = defineResource("users", {
  schema: z.object({ ...shape, note: z.string().nullable().default(null) }),
  generated: { id: "increment" },
  unique: ["email"],
  index: ["tags", "note"],
});
const models = [users.model];
const noDifference = { missing: [], conflicts: [], unused: [] };

for (const [name, engines, makePlace] of places) {
  describe(`the plan of a migration on ${name}`, needs(...engines), () => {
    test("has all statements for an empty database, and what they make lacks nothing", async () => {
      const place = await makePlace();
      const statements = (await place.open().compare?.(models))?.missing ?? [];
      expect(statements.some((text) => text.startsWith('create table if not exists "users"'))).toBe(true);
      for (const text of statements) await place.run(text);
      expect(await place.open().compare?.(models)).toEqual(noDifference);
      await place.open("check").migrate?.(models);
    });

    test("has what a wider collection needs", async () => {
      const place = await makePlace();
      await place.open().migrate?.(models);
      const statements = (await place.open().compare?.([wider.model]))?.missing ?? [];
      expect(statements.map((text) => text.split(/ on | text/i)[0])).toEqual([
        'alter table "users" add column "note"',
        'alter table "users" add column "note__fold"',
        'create index if not exists "users:order:note"',
      ]);
    });

    test('migrate: "check" fills the derived columns that the statements have added', async () => {
      const place = await makePlace();
      const codes = (unique: readonly "code"[]) =>
        defineResource("codes", { schema: z.object({ id: z.int(), code: z.string() }), generated: { id: "increment" }, unique }).model;
      const rows = Array.from({ length: 1_100 }, (_, index) => ({ code: `e\u0301${index}`, _version: "v", _updatedAt: new Date(0) }));
      const before = place.open();
      await before.migrate?.([codes([])]);
      await before.collection(codes([])).insertMany?.(rows, {});
      for (const text of (await before.compare?.([codes(["code"])]))?.missing ?? []) await place.run(text);

      const after = place.open("check");
      await after.migrate?.([codes(["code"])]);

      const items = after.collection(codes(["code"]));
      expect(await items.find({ filter: { op: "in", path: ["code"], values: ["e\u03010", "e\u03011099"] }, sort: [], limit: 5 }, {})).toHaveLength(2);
      await expect(items.insert({ code: "\u00e97", _version: "v", _updatedAt: new Date(0) }, {})).resolves.toMatchObject({
        ok: false,
        why: "conflict",
      });
    });

    test('migrate: "check" names a unique key that rows violate', async () => {
      const place = await makePlace();
      const codes = (unique: readonly "code"[]) =>
        defineResource("codes", { schema: z.object({ id: z.int(), code: z.string() }), generated: { id: "increment" }, unique }).model;
      const before = place.open();
      await before.migrate?.([codes([])]);
      for (const code of ["\u00e9", "e\u0301"]) await before.collection(codes([])).insert({ code, _version: "v", _updatedAt: new Date(0) }, {});
      for (const text of (await before.compare?.([codes(["code"])]))?.missing ?? []) await place.run(text);
      await expect(place.open("check").migrate?.([codes(["code"])])).rejects.toThrow(
        'The table "codes" has rows with the same value of a key that the collection declares unique.',
      );
    });

    test('migrate: "check" creates nothing, and names what is missing', async () => {
      const place = await makePlace();
      const error: unknown = await Promise.resolve(place.open("check").migrate?.(models)).catch((reason: unknown) => reason);
      expect(String(error)).toContain('the storage has migrate: "check"');
      expect(String(error)).toContain('create table if not exists "users"');
      const later = await place.open().compare?.(models);
      expect(later?.missing.length).toBeGreaterThan(20);
    });

    test("compares in both directions", async () => {
      const place = await makePlace();
      await place
        .open()
        .migrate?.([wider.model, defineResource("notes", { schema: z.object({ id: z.int() }), generated: { id: "increment" } }).model]);
      await place.run('create index mine on "users" ("email")');
      const narrower = defineResource("users", { schema: z.object({ id: z.int(), email: z.int() }), generated: { id: "increment" } });
      const difference = await place.open().compare?.([narrower.model]);
      expect(difference?.missing).toEqual([]);
      expect(difference?.conflicts).toEqual([
        expect.stringMatching(/^The column "email" of the table "users" has the type \w+, but the collection needs \w+\./),
      ]);
      expect([...(difference?.unused ?? [])].map((text) => text.replace(/("[^"]+"\.)(?=")/, "")).sort()).toEqual(
        [
          'alter table "users" drop column "email__fold"',
          'alter table "users" drop column "note"',
          'alter table "users" drop column "note__fold"',
          'alter table "users" drop column "tags"',
          ...(place.connectionString === undefined ? [] : ['drop index "users:contains:tags"']),
          'drop index "users:order:note"',
          'drop index "users:unique:""email__fold"""',
          'drop table "notes"',
        ].sort(),
      );
      // What is printed can be run, in its order.
      for (const text of difference?.unused ?? []) await place.run(text);
      expect((await place.open().compare?.([narrower.model]))?.unused).toEqual([]);
    });

    test("is printed by restwright sql and diff", async () => {
      const place = await makePlace();
      const folder = programFolder();
      // A module is loaded once, and its storage is closed then.
      const command = async (name: string, id = `z.int()`, generator = "increment") => {
        const file = join(folder, `${randomUUID()}.ts`);
        const definition = `defineResource("users", { schema: z.object({ id: ${id} }), generated: { id: "${generator}" } })`;
        const imports = `import { defineResource } from "restwright";\nimport { z } from "zod";\n`;
        writeFileSync(file, `${imports}${place.code}export const resources = [${definition}];\n`);
        return run([name, file]);
      };
      const printed = await command("sql");
      expect([printed.code, printed.stderr]).toEqual([0, ""]);
      expect(printed.stdout).toContain('create table if not exists "users"');
      const title = "-- Missing in the database. The next start of the service creates it.\n";
      expect(await command("diff")).toEqual({ code: 2, stderr: "", stdout: `${title}${printed.stdout}` });
      for (const text of printed.stdout.split(";\n").filter((line) => line !== "")) await place.run(text);
      expect((await command("sql")).stdout).toBe("-- The database lacks nothing.\n");
      expect(await command("diff")).toEqual({ code: 0, stderr: "", stdout: "-- The database and the definitions do not differ.\n" });
      const other = await command("diff", "z.string()", "ulid");
      expect(other.code).toBe(2);
      expect(other.stdout).toMatch(
        /\n\n-- In conflict with the definitions\. The service does not start\.\n-- The column "id" of the table "users" has the type/,
      );
      expect(await command("sql", "z.string()", "ulid")).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("The database cannot be migrated:\nThe column"),
      });
    });
  });
}

describe("a role without the right to create (set POSTGRES_URL to run)", needs("postgres"), () => {
  test("serves tables that another role has made, and is told what is missing", async (context) => {
    const place = await postgresPlace();
    const [may] = await place.rows("select rolcreaterole or rolsuper as yes from pg_roles where rolname = current_user");
    if (may?.["yes"] !== true) skipBecause(context, "the role of POSTGRES_URL may not create roles");
    const role = `restwright_${randomUUID().replaceAll("-", "")}`;
    const { connectionString } = place;
    const address = new URL(connectionString ?? "");
    const schema = address.searchParams.get("options")?.split("=")[1];
    await place.run(`create role ${role} login password '${role}'; grant usage on schema ${schema} to ${role}`);
    const rights = ["all tables in schema", "all sequences in schema", "schema"].map((what) => `revoke all on ${what} ${schema} from ${role}`);
    onTestFinished(() => place.run([...rights, `drop role ${role}`].join("; ")));
    Object.assign(address, { username: role, password: role });
    const open = (migrate?: "check") => opened(postgresStorage({ connectionString: address.href, migrate }));

    await expect(open().migrate?.(models)).rejects.toThrow("permission denied for schema");
    await expect(open("check").migrate?.(models)).rejects.toThrow('create table if not exists "users"');
    for (const text of (await place.open().compare?.(models))?.missing ?? []) await place.run(text);
    await place.run(
      `grant select, insert, update, delete on all tables in schema ${schema} to ${role}; grant usage on all sequences in schema ${schema} to ${role}`,
    );
    for (const migrate of [undefined, "check"] as const) {
      const service = createService({ resources: [users], storage: open(migrate), logger: false });
      await service.start();
      const { id } = await service.asSystem().users.create({ email: `${migrate}@example.com`, tags: [] });
      expect(await service.asSystem().users.get(id)).toMatchObject({ email: `${migrate}@example.com` });
      await service.close();
    }
  });
});

describe("restwright sql", () => {
  test("says what is wrong with a module", async () => {
    const file = join(programFolder(), "api.ts");
    expect((await run(["sql"])).stderr).toContain("Name one module");
    expect((await run(["sql", `${file}.missing`])).stderr).toContain("cannot be loaded");
    writeFileSync(file, "export const resources = [];\n");
    expect((await run(["sql", file])).stderr).toBe(`The module "${file}" does not export "storage", such as what postgresStorage() returns.\n`);
  });

  test("migrate has two values", () => {
    expect(() => sqliteStorage({ path: ":memory:", migrate: "never" as never })).toThrow(ConfigurationError);
    expect(() => createService({ resources: [users], storage: sqliteStorage({ path: ":memory:", migrate: "check" }) })).not.toThrow();
  });
});
