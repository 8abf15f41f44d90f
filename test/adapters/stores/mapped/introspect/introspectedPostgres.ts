import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Resource } from "restwright";
import { expect } from "vitest";
import { run } from "../../../cli/stage.js";
import type { Database } from "../database.js";

export const fixtures = ["prisma", "drizzle", "rails", "django", "hostile"];

/** Columns that change with every write: by this library, and by the trigger of the developer. */
export const countedColumns = ["updated_at", "updatedAt", "modified", "lock_version", "changes"];

/** The statements that make a database as a tool left it, with its rows. */
export function fixtureText(name: string): string {
  const file = name === "hostile" ? "hostile.sql" : `${name}/postgres.sql`;
  return readFileSync(fileURLToPath(new URL(`fixtures/${file}`, import.meta.url)), "utf8");
}

/** The program that `restwright introspect` prints. */
export async function introspect(
  { connectionString, schema }: Pick<Database, "connectionString" | "schema">,
  ...args: readonly string[]
): Promise<string> {
  const address = new URL(connectionString);
  address.searchParams.set("options", `-c search_path=${schema}`);
  const { code, stdout, stderr } = await run(["introspect", ...args], { variables: { DATABASE_URL: address.href } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** The content of all tables of the developer, and the rows of the catalogue that describe them: a statement that changes a definition writes new ones. */
export async function stateOf({ sql, schema }: Database, without: readonly string[] = []): Promise<unknown> {
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

/** A text field without rules of its own. */
export function changeable({ fields, id, model, operations, relations }: Resource): string | undefined {
  const keys = new Set([...model.unique.flatMap((key) => key.fields), ...[...relations.values()].map(({ foreignKey }) => foreignKey)]);
  const plain = [...fields.values()].filter(({ kind, format, generator }) => kind === "text" && format === undefined && generator === undefined);
  return operations.has("update") ? plain.find((field) => field !== id && !keys.has(field.name))?.name : undefined;
}
