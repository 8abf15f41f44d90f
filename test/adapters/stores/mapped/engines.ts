import pg from "pg";
import { type Authorize, defineResource, type Resource } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { postgresStorage } from "restwright/postgres";
import { searches } from "restwright/searches";
import { sqliteStorage } from "restwright/sqlite";
import { testService } from "restwright/testing";
import { transfer } from "restwright/transfer";
import { afterEach, describe } from "vitest";
import { z } from "zod";
import type { Storage } from "../../../../src/ground/storage/storage.js";
import type { TableOptions } from "../../../../src/ground/storage/tableOptions.js";
import { needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import type { HostileRequest } from "./values/hostile.js";
import { watchedPool } from "./watchedPool.js";

type Rows = readonly Readonly<Record<string, unknown>>[];

interface Database {
  readonly storage: Storage;
  /** Runs a statement of the developer. */
  run(text: string): Promise<Rows>;
  /** Statements of the library that read and failed. SQLite has no types whose values are refused. */
  readErrors(): readonly string[];
  end(): Promise<void>;
}

async function openSqlite(): Promise<Database> {
  const storage = sqliteStorage({ path: ":memory:" });
  const run = async (text: string) => (await storage.transaction?.(async (tx) => tx.sql?.(text, []))) ?? [];
  return { storage, run, readErrors: () => [], end: async () => storage.close?.() };
}

async function openPostgres(): Promise<Database> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  const pool = new pg.Pool({ connectionString, max: 2 });
  const watched = watchedPool(connectionString);
  const storage = postgresStorage({ pool: watched.pool });
  return {
    storage,
    readErrors: watched.readErrors,
    run: async (text) => (await pool.query(text)).rows.map(numbered),
    async end() {
      await storage.close?.();
      await Promise.all([watched.pool.end(), pool.end()]);
      await schema.drop();
    },
  };
}

/** Counts are bigints, which `pg` returns as texts. */
function numbered(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return "n" in row ? { ...row, n: Number(row["n"]) } : row;
}

/** A service over tables of a developer. */
async function openService(database: Database, resources: readonly Resource[], statements: readonly string[], authorize?: Authorize) {
  for (const text of statements) await database.run(text);
  const started = testService({ storage: database.storage, resources, use: [batch(), actions(), transfer(), searches()], authorize });
  try {
    await started.service.start();
  } catch (error) {
    await started.close();
    throw error;
  }
  const send = async (method: string, path: string, body?: unknown, tenant?: string, headers: Record<string, string> = {}) => {
    const answer = await started.fetch(path, { method, as: { id: "ann", tenant }, ...(body !== undefined && { json: body }), headers });
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.includes("json") === true;
    return { status: answer.status, etag: answer.headers.get("etag") ?? "", text, body: isJson ? JSON.parse(text) : undefined };
  };
  /** Sends a body as it is. */
  const sendRaw = async ({ method, target, body }: HostileRequest) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const sent = body === undefined ? {} : { body, headers: { "content-type": type } };
    const answer = await started.fetch(target, { method, as: { id: "ann" }, ...sent });
    return { status: answer.status, text: await answer.text() };
  };
  return { ...started, ...database, send, sendRaw };
}

interface Asked {
  readonly resources: readonly Resource[];
  readonly authorize: Authorize;
}

type Open = (resource: Resource | Asked, ...statements: readonly string[]) => ReturnType<typeof openService>;

/** The same tests on each engine that has tables of developers. */
export function describeEngines(title: string, tests: (open: Open, engine: "sqlite" | "postgres") => void): void {
  const databases = [
    ["sqlite", "SQLite", [], openSqlite],
    ["postgres", "PostgreSQL (set POSTGRES_URL to run)", ["postgres"], openPostgres],
  ] as const;
  for (const [engine, name, needed, openDatabase] of databases) {
    describe(`${title} on ${name}`, needs(...needed), () => {
      const ends: (() => Promise<void>)[] = [];
      afterEach(async () => {
        for (const end of ends.splice(0).toReversed()) await end();
      });
      tests(async (resource, ...statements) => {
        const database = await openDatabase();
        ends.push(database.end);
        const { resources, authorize } = "model" in resource ? { resources: [resource], authorize: undefined } : resource;
        const opened = await openService(database, resources, statements, authorize);
        ends.push(opened.close);
        return opened;
      }, engine);
    });
  }
}

/** The collection `notes` in the table of this name. */
export function notes(
  table: Partial<TableOptions>,
  shape: Readonly<Record<string, z.ZodType>>,
  options: Readonly<Record<string, unknown>> = {},
): Resource {
  return defineResource("notes", {
    schema: z.object(shape),
    ...options,
    table: { name: "notes", managed: false, version: "hash", tenant: "shared", ...table },
  });
}
