import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import type { Storage } from "../../../../../src/ground/storage/storage.js";
import type { TableVersion } from "../../../../../src/ground/storage/tableOptions.js";

/** A kind of version, and what a program of the developer sets so that it changes with its own writes. */
export interface VersionKind {
  readonly version: TableVersion;
  readonly column: string;
  readonly set: string;
  readonly triggers: readonly string[];
}

const hash: VersionKind = { version: "hash", column: "", set: "", triggers: [] };

const integer: VersionKind = {
  version: { column: "lock_version", by: "restwright" },
  column: ", lock_version int not null default 1",
  set: ", lock_version = lock_version + 1",
  triggers: [],
};

const ofTrigger = (...triggers: readonly string[]): VersionKind => ({
  version: { column: "lock_version", by: "trigger" },
  column: ", lock_version int not null default 1",
  set: "",
  triggers,
});

export const postgresKinds: Readonly<Record<string, VersionKind>> = {
  hash,
  "an integer": integer,
  "an integer of a trigger": ofTrigger(
    `create function count_version() returns trigger language plpgsql as $$ begin new.lock_version := old.lock_version + 1; return new; end $$`,
    "create trigger count before update on counters for each row execute function count_version()",
  ),
  "an instant": {
    version: { column: "version_at" },
    column: ", version_at timestamptz(6) not null default clock_timestamp()",
    set: ", version_at = greatest(clock_timestamp(), version_at + interval '1 microsecond')",
    triggers: [],
  },
  xmin: { version: "xmin", column: "", set: "", triggers: [] },
};

/** SQLite has no `xmin`, and its instants are no versions. */
export const sqliteKinds: Readonly<Record<string, VersionKind>> = {
  hash,
  "an integer": integer,
  "an integer of a trigger": ofTrigger(
    `create trigger count after update on counters when new.lock_version = old.lock_version
      begin update counters set lock_version = old.lock_version + 1 where rowid = new.rowid; end`,
  ),
};

/** A database with the table `counters` of a developer. */
export interface CountersDatabase {
  readonly storage: Storage;
  /** Runs a statement of the developer. */
  run(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** Statements of the developer run on another connection than those of the storage. */
export function postgresCounters(connectionString: string): CountersDatabase {
  const storage = postgresStorage({ connectionString });
  const pool = new pg.Pool({ connectionString, max: 2 });
  return {
    storage,
    run: async (text) => (await pool.query(text)).rows,
    async close() {
      await storage.close?.();
      await pool.end();
    },
  };
}

export function sqliteCounters(path: string): CountersDatabase {
  const storage = sqliteStorage({ path });
  return {
    storage,
    run: async (text) => (await storage.transaction?.(async (tx) => tx.sql?.(text, []))) ?? [],
    close: async () => storage.close?.(),
  };
}

/** Makes the table, with `keys` rows. `others` counts the writes of other programs, `quantity` all of them, so that no state returns. */
export async function createCounters({ run }: CountersDatabase, { column, triggers }: VersionKind, keys: number): Promise<void> {
  const ids = Array.from({ length: keys }, (_, index) => `('k${index + 1}')`);
  for (const text of [
    "drop table if exists counters",
    // Functions are PostgreSQL's only, and outlive the table.
    ...(triggers.some((trigger) => trigger.startsWith("create function")) ? ["drop function if exists count_version()"] : []),
    `create table counters (id text not null primary key, quantity bigint not null default 0, others int not null default 0, unmapped text default 'untouched'${column})`,
    `insert into counters (id) values ${ids.join(", ")}`,
    ...triggers,
  ]) {
    await run(text);
  }
}

/** The statement of another program, which answers what it wrote. @param id an expression */
export function foreignWrite({ set }: VersionKind, id: string): string {
  return `update counters set quantity = quantity + 1, others = others + 1${set} where id = ${id} returning id, quantity`;
}
