import pg from "pg";
import { postgresStorage } from "restwright/postgres";
import { afterAll, onTestFinished } from "vitest";
import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";

/** A schema with tables of a developer, which is dropped when the test has finished. */
export interface Database {
  /** Its search path begins with a schema for the tables of the library. */
  readonly connectionString: string;
  readonly schema: string;
  /** Runs statements of the developer. */
  sql(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Makes databases that share the tables of the library, whose creation takes most of the time. Called once in a file. */
export function developersDatabases(): (text: string) => Promise<Database> {
  const home = ownSchema();
  let created: Promise<string> | undefined;
  // Also runs where all tests that need an engine are skipped.
  afterAll(async () => {
    if (created !== undefined) await home.drop();
  });
  return async (text) => {
    created ??= home.create();
    const own = ownSchema();
    const [first, second] = await Promise.all([created, own.create()]);
    const schema = schemaOf(second);
    const client = new pg.Client({ connectionString: second });
    await client.connect();
    onTestFinished(async () => {
      await client.end();
      await own.drop();
    });
    const sql = async (statements: string) => (await client.query<Readonly<Record<string, unknown>>>(statements)).rows ?? [];
    await sql(text);
    const address = new URL(first);
    address.searchParams.set("options", `-c search_path=${schemaOf(first)},${schema}`);
    return { connectionString: address.href, schema, sql };
  };
}

function schemaOf(connectionString: string): string {
  return new URL(connectionString).searchParams.get("options")?.split("=")[1] ?? "";
}

/** What the check at start-up says of collections. */
export interface Checked {
  readonly differences: readonly string[];
  readonly warnings: readonly string[];
}

/** Opens a storage and starts it with these collections. */
export async function check({ connectionString }: Database, resources: readonly { readonly model: CollectionModel }[]): Promise<Checked> {
  const storage = postgresStorage({ connectionString });
  const warnings: string[] = [];
  try {
    await storage.migrate?.(
      resources.map(({ model }) => model),
      { warn: (_, message) => void warnings.push(message) },
    );
    return { differences: [], warnings };
  } catch (error) {
    const [head, ...lines] = error instanceof Error ? error.message.split("\n- ") : [];
    if (head !== "The database and the collections differ:") throw error;
    return { differences: lines, warnings };
  } finally {
    await storage.close?.();
  }
}
