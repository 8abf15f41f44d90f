import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { ConfigurationError, createService, defineResource, type Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { run } from "../cli/stage.js";
import { ownSchema, postgresUrl } from "./postgresSchema.js";

const shape = { id: z.int(), email: z.email(), tags: z.array(z.string()) };
const users = defineResource("users", { schema: z.object(shape), generated: { id: "increment" }, unique: ["email"], index: ["tags"] });
const wider = defineResource("users", {
  schema: z.object({ ...shape, note: z.string().nullable().default(null) }),
  generated: { id: "increment" },
  unique: ["email"],
  index: ["tags", "note"],
});
const models = [users.model];
const root = fileURLToPath(new URL("../..", import.meta.url));

interface Place {
  open(migrate?: "create" | "check"): Storage;
  run(text: string): Promise<void>;
  /** The code that opens the storage. */
  readonly code: string;
}

function temporaryFolder(): string {
  // Within the repository, so that packages are found.
  const folder = mkdtempSync(join(root, "test/docs/program-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function opened(storage: Storage): Storage {
  onTestFinished(async () => storage.close?.());
  return storage;
}

async function sqlitePlace(): Promise<Place> {
  const path = join(temporaryFolder(), "data.db");
  const open: Place["open"] = (migrate) => opened(sqliteStorage({ path, migrate }));
  return {
    open,
    async run(text) {
      await open().transaction?.(async (tx) => tx.sql?.(text, []));
    },
    code: `import { sqliteStorage } from "restwright/sqlite";\nexport const storage = sqliteStorage({ path: ${JSON.stringify(path)} });\n`,
  };
}

async function postgresPlace(): Promise<Place> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  onTestFinished(() => schema.drop());
  return {
    open: (migrate) => opened(postgresStorage({ connectionString, migrate })),
    async run(text) {
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query(text);
      await client.end();
    },
    code: `import { postgresStorage } from "restwright/postgres";\nexport const storage = postgresStorage({ connectionString: ${JSON.stringify(connectionString)} });\n`,
  };
}

const places = [
  ["SQLite", false, sqlitePlace],
  ["PostgreSQL (set POSTGRES_URL to run)", postgresUrl === undefined, postgresPlace],
] as const;

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
      const folder = temporaryFolder();
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

describe("restwright sql", () => {
  test("says what is wrong with a module", async () => {
    const file = join(temporaryFolder(), "api.ts");
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
