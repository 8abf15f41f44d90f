import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Resource } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { describe, expect, test } from "vitest";
import { queryWords } from "../../adapters/cli/introspect/names.js";
import { reservedNames } from "../../src/query/grammar/control.js";
import { run } from "../cli/stage.js";
import { postgresUrl } from "../stores/postgresSchema.js";
import { check, type Database, developersDatabases } from "./database.js";
import { expectCompiles, formatted, pathOf, resourcesOf, serve } from "./introspected.js";
import { watchDefinitions } from "./watchDefinitions.js";

const fixtures = ["prisma", "drizzle", "rails", "django", "hostile"];

const root = fileURLToPath(new URL("../..", import.meta.url));
const databaseWith = developersDatabases();

/** A database as a tool made it. */
function fixture(name: string): Promise<Database> {
  return databaseWith(readFileSync(join(root, `test/tables/fixtures/${name}.sql`), "utf8"));
}

async function introspect({ connectionString, schema }: Pick<Database, "connectionString" | "schema">, ...args: readonly string[]): Promise<string> {
  const address = new URL(connectionString);
  address.searchParams.set("options", `-c search_path=${schema}`);
  const { code, stdout, stderr } = await run(["introspect", ...args], { variables: { DATABASE_URL: address.href } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** The content of all tables of the developer, and the rows of the catalogue that describe them: a statement that changes a definition writes new ones. */
async function stateOf({ sql, schema }: Database, without: readonly string[] = []): Promise<unknown> {
  const columns = `'{${without.join(",")}}'::text[]`;
  const tables = await sql(`select relname from pg_class where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'p', 'm') order by 1`);
  const contents = tables.map(({ relname }) => {
    const quoted = `"${String(relname).replaceAll('"', '""')}"`;
    return `select '${String(relname).replaceAll("'", "''")}' as name, md5(coalesce(string_agg(t::text, E'\\n' order by t::text), '')) as sum from (select to_jsonb(r) - ${columns} from ${quoted} r) t`;
  });
  const own = `(select oid from pg_class where relnamespace = '${schema}'::regnamespace)`;
  const definitions = ["pg_attribute where attrelid", "pg_index where indrelid", "pg_constraint where conrelid", "pg_trigger where tgrelid"].map(
    (from) => `select '${from}' as name, md5(coalesce(string_agg(xmin::text || ctid::text, ',' order by ctid), '')) as sum from ${from} in ${own}`,
  );
  return sql(`${[...contents, ...definitions].join(" union all ")} order by name`);
}

test("knows the words of the query language", () => {
  expect([...queryWords].sort()).toEqual([...reservedNames].sort());
});

describe.skipIf(postgresUrl === undefined)("restwright introspect (set POSTGRES_URL to run)", () => {
  test("prints programs that are formatted and compile in strict mode", async () => {
    const programs = new Map<string, string>();
    for (const name of fixtures) {
      const program = await introspect(await fixture(name));
      programs.set(name, program);
      expect(formatted(program)).toBe(program);
    }
    await expectCompiles(programs);
  });

  test.each(fixtures)("prints collections of %s that start without a difference, and leave rows as they are that are sent back", async (name) => {
    const database = await fixture(name);
    const resources = await resourcesOf(await introspect(database));
    const definitions = await watchDefinitions(database);
    expect((await check(database, resources)).differences).toEqual([]);
    const before = await stateOf(database);
    const request = await serve(postgresStorage({ connectionString: database.connectionString }), resources);
    let sent = 0;
    for (const resource of resources) {
      const answer = await request(`/${resource.name}`);
      expect(answer.status, resource.name).toBe(200);
      const { data } = (await answer.json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] };
      for (const row of data) {
        const path = pathOf(resource, row);
        const read = await request(path);
        const text = await read.text();
        expect(read.status, text).toBe(200);
        if (!resource.operations.has("replace")) continue;
        const headers = { "content-type": "application/json", "if-match": read.headers.get("etag") ?? "" };
        const replaced = await request(path, { method: "PUT", headers, body: text });
        expect(replaced.status, `${path} ${text} ${await replaced.clone().text()}`).toBe(200);
        sent++;
      }
    }
    expect(sent).toBeGreaterThan(3);
    expect(await stateOf(database)).toEqual(before);
    expect((await definitions?.()) ?? []).toEqual([]);
  });

  test.each(fixtures)("prints collections of %s in which a write changes one column", async (name) => {
    const database = await fixture(name);
    const resources = await resourcesOf(await introspect(database));
    const request = await serve(postgresStorage({ connectionString: database.connectionString }), resources);
    // Columns that change with every write: by this library, and by the trigger of the developer.
    const counted = ["updated_at", "updatedAt", "modified", "lock_version", "changes"];
    const before = await stateOf(database, counted);
    let written = 0;
    for (const resource of resources) {
      const field = changeable(resource);
      if (field === undefined) continue;
      const { data } = (await (await request(`/${resource.name}`)).json()) as { readonly data: readonly Readonly<Record<string, unknown>>[] };
      for (const row of data) {
        const { [field]: text } = row;
        if (typeof text !== "string" || text.length > 3) continue;
        const path = pathOf(resource, row);
        for (const value of [`${text}!`, text]) {
          const headers = { "content-type": "application/json", "if-match": (await request(path)).headers.get("etag") ?? "" };
          const changed = await request(path, { method: "PATCH", headers, body: JSON.stringify({ [field]: value }) });
          expect(changed.status, `${path} ${field} ${await changed.clone().text()}`).toBe(200);
          expect(await changed.json()).toMatchObject({ [field]: value });
          written++;
        }
      }
    }
    expect(written).toBeGreaterThan(1);
    expect(await stateOf(database, counted)).toEqual(before);
  });
});

/** A text field without rules of its own. */
function changeable({ fields, id, model, operations, relations }: Resource): string | undefined {
  const keys = new Set([...model.unique.flatMap((key) => key.fields), ...[...relations.values()].map(({ foreignKey }) => foreignKey)]);
  const plain = [...fields.values()].filter(({ kind, format, generator }) => kind === "text" && format === undefined && generator === undefined);
  return operations.has("update") ? plain.find((field) => field !== id && !keys.has(field.name))?.name : undefined;
}
