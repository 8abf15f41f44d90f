import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConfigurationError, createService, defineResource } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { run } from "../cli/stage.js";
import { programFolder } from "../programFolder.js";
import { postgresUrl } from "./postgresSchema.js";
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

for (const [name, isSkipped, makePlace] of places) {
  describe.skipIf(isSkipped)(`the plan of a migration on ${name}`, () => {
    test("has all statements for an empty database, and what they make lacks nothing", async () => {
      const place = await makePlace();
      const statements = (await place.open().plan?.(models)) ?? [];
      expect(statements.some((text) => text.startsWith('create table if not exists "users"'))).toBe(true);
      for (const text of statements) await place.run(text);
      expect(await place.open().plan?.(models)).toEqual([]);
      await place.open("check").migrate?.(models);
    });

    test("has what a wider collection needs", async () => {
      const place = await makePlace();
      await place.open().migrate?.(models);
      const statements = (await place.open().plan?.([wider.model])) ?? [];
      expect(statements.map((text) => text.split(/ on | text/i)[0])).toEqual([
        'alter table "users" add column "note"',
        'alter table "users" add column "note__fold"',
        'create index if not exists "users:order:note"',
      ]);
    });

    test('migrate: "check" creates nothing, and names what is missing', async () => {
      const place = await makePlace();
      const error: unknown = await Promise.resolve(place.open("check").migrate?.(models)).catch((reason: unknown) => reason);
      expect(String(error)).toContain('the storage has migrate: "check"');
      expect(String(error)).toContain('create table if not exists "users"');
      const later = await place.open().plan?.(models);
      expect(later?.length).toBeGreaterThan(20);
    });

    test("is printed by restwright sql", async () => {
      const place = await makePlace();
      const folder = programFolder();
      const file = join(folder, "api.ts");
      const definition = `defineResource("users", { schema: z.object({ id: z.int() }), generated: { id: "increment" } })`;
      writeFileSync(
        file,
        `import { defineResource } from "restwright";\nimport { z } from "zod";\n${place.code}export const resources = [${definition}];\n`,
      );
      const printed = await run(["sql", file]);
      expect([printed.code, printed.stderr]).toEqual([0, ""]);
      expect(printed.stdout).toContain('create table if not exists "users"');
      for (const text of printed.stdout.split(";\n").filter((line) => line !== "")) await place.run(text);
      // A module is loaded once, and its storage is closed: the same in another file.
      const again = join(folder, "again.ts");
      writeFileSync(
        again,
        `import { defineResource } from "restwright";\nimport { z } from "zod";\n${place.code}export const resources = [${definition}];\n`,
      );
      expect((await run(["sql", again])).stdout).toBe("-- The database lacks nothing.\n");
    });
  });
}

describe.skipIf(postgresUrl === undefined)("a role without the right to create (set POSTGRES_URL to run)", () => {
  test("serves tables that another role has made, and is told what is missing", async ({ skip }) => {
    const place = await postgresPlace();
    const [may] = await place.rows("select rolcreaterole or rolsuper as yes from pg_roles where rolname = current_user");
    if (may?.["yes"] !== true) skip("the role of POSTGRES_URL may not create roles");
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
    for (const text of (await place.open().plan?.(models)) ?? []) await place.run(text);
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
