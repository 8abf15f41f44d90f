import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Store } from "./serverOptions.js";

/** An empty place for the rows of one server. */
export interface Place {
  readonly location: string;
  /** Brings the planner's statistics and the visibility map up to date, which autovacuum would do sooner or later. */
  analyze(): Promise<void>;
  remove(): Promise<void>;
}

/** Makes a place: a temporary file for SQLite, a database of its own for PostgreSQL. */
export async function makePlace(store: Store, name: string): Promise<Place> {
  if (store === "sqlite") return sqlitePlace(name);
  if (store === "postgres") return postgresPlace(`restwright_bench_${process.pid}_${name}`);
  return { location: "", analyze: async () => undefined, remove: async () => undefined };
}

async function sqlitePlace(name: string): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), `restwright-bench-${name}-`));
  return { location: join(folder, "users.db"), analyze: async () => undefined, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function postgresPlace(database: string): Promise<Place> {
  const server = process.env["POSTGRES_URL"];
  if (server === undefined) throw new Error("PostgreSQL is measured where POSTGRES_URL names a server.");
  const location = new URL(server);
  location.pathname = `/${database}`;
  await query(server, `CREATE DATABASE ${database}`);
  return {
    location: location.href,
    analyze: () => query(location.href, "VACUUM (ANALYZE)"),
    remove: () => query(server, `DROP DATABASE ${database} WITH (FORCE)`),
  };
}

async function query(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
