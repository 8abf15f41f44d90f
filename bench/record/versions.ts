import { readFileSync } from "node:fs";
import pg from "pg";
import { hasBuiltInSqlite } from "../floor/sqliteDatabase.js";
import type { Host, Store } from "../tools/serverOptions.js";

const packagesOfHost: Readonly<Record<Host, readonly string[]>> = {
  fastify: ["fastify"],
  express: ["express"],
  hono: ["hono", "@hono/node-server"],
  koa: ["koa"],
};

const packagesOfStore: Readonly<Record<Store, readonly string[]>> = { memory: [], sqlite: hasBuiltInSqlite ? [] : ["libsql"], postgres: ["pg"] };

/** The versions of what the pairs are made of: packages that are installed here, and the server of PostgreSQL. */
export async function versionsOf(pairs: readonly (readonly [Host, Store])[]): Promise<Record<string, string>> {
  const packages = new Set(pairs.flatMap(([host, store]) => [...packagesOfHost[host], ...packagesOfStore[store]]));
  const versions = Object.fromEntries([...packages].map((name) => [name, installedVersion(name)]));
  const isOnPostgres = pairs.some(([, store]) => store === "postgres");
  return isOnPostgres ? { ...versions, PostgreSQL: await postgresVersion() } : versions;
}

/** By its path: not every package exports its `package.json`. */
function installedVersion(name: string): string {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), "utf8"),
  );
  return version;
}

async function postgresVersion(): Promise<string> {
  const client = new pg.Client({ connectionString: process.env["POSTGRES_URL"] });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: string }>("select split_part(current_setting('server_version'), ' ', 1) as version");
    return rows[0]?.version ?? "";
  } finally {
    await client.end();
  }
}
