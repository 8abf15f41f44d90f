import { join } from "node:path";
import pg from "pg";
import type { Storage } from "restwright";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { onTestFinished } from "vitest";
import { programFolder } from "../../../../tools/programFolder.js";
import { ownSchema } from "../../../../tools/storage/postgresSchema.js";

/** A database of a test, which storages are opened on again and again. */
export interface Place {
  open(migrate?: "create" | "check"): Storage;
  run(text: string): Promise<void>;
  /** The code that opens the storage. */
  readonly code: string;
  readonly connectionString?: string;
}

/** A storage that is closed after the test. */
export function opened(storage: Storage): Storage {
  onTestFinished(async () => storage.close?.());
  return storage;
}

async function sqlitePlace(): Promise<Place> {
  const path = join(programFolder(), "data.db");
  const open: Place["open"] = (migrate) => opened(sqliteStorage({ path, migrate }));
  return {
    open,
    async run(text) {
      await open().transaction?.(async (tx) => tx.sql?.(text, []));
    },
    code: `import { sqliteStorage } from "restwright/sqlite";\nexport const storage = sqliteStorage({ path: ${JSON.stringify(path)} });\n`,
  };
}

export async function postgresPlace(): Promise<Place & { rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]> }> {
  const schema = ownSchema();
  const connectionString = await schema.create();
  onTestFinished(() => schema.drop());
  const rows = async (text: string) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return (await client.query<Readonly<Record<string, unknown>>>(text)).rows ?? [];
    } finally {
      await client.end();
    }
  };
  return {
    connectionString,
    open: (migrate) => opened(postgresStorage({ connectionString, migrate })),
    async run(text) {
      await rows(text);
    },
    rows,
    code: `import { postgresStorage } from "restwright/postgres";\nexport const storage = postgresStorage({ connectionString: ${JSON.stringify(connectionString)} });\n`,
  };
}

/** An empty database of each engine. */
export const places = [
  ["SQLite", [], sqlitePlace],
  ["PostgreSQL (set POSTGRES_URL to run)", ["postgres"], postgresPlace],
] as const;
