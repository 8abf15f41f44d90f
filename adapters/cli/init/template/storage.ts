import type { ProjectPlan, Store } from "../choices.js";
import type { Types } from "./typed.js";

/** The module of the store: the only one that knows which database keeps the rows. */
export function storageFile({ store }: Pick<ProjectPlan, "store">, types: Types): string {
  return files[store](types);
}

const files: Readonly<Record<Store, (types: Types) => string>> = {
  sqlite: (types) => `import { mkdirSync } from "node:fs";
import { join } from "node:path";
${types(`import type { Storage } from "restwright";
`)}import { sqliteStorage } from "restwright/sqlite";

/** Keeps all rows in one SQLite file in the folder DATA_DIR. */
export function openStorage()${types(": Storage")} {
  const folder = process.env.DATA_DIR || "data";
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return sqliteStorage({ path: join(folder, "data.db") });
}
`,
  postgres: (types) => `${types(`import type { Storage } from "restwright";
`)}import { postgresStorage } from "restwright/postgres";

/** Keeps all rows in the PostgreSQL database that DATABASE_URL names. */
export function openStorage()${types(": Storage")} {
  const connectionString = process.env.DATABASE_URL;
  if (!connectionString) {
    throw new Error("Set DATABASE_URL, such as postgres://user@host/name.");
  }
  return postgresStorage({ connectionString });
}
`,
};
