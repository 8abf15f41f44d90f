import { createHmac } from "node:crypto";
import { dialects } from "../engine/dialect.js";
import { run, type Session } from "../engine/session.js";
import { readSecret } from "../records/secret.js";
import type { MappedStore } from "./mappedStore.js";
import { type PostgresServer, postgresEngine } from "./postgres/engine.js";
import { readPostgresCatalogs } from "./postgres/readCatalog.js";

/**
 * Reads the columns of the developer's tables and compares them with their collections.
 *
 * @throws {Error} with all differences, each with what to write
 */
export async function openTables(session: Session, stores: readonly MappedStore[]): Promise<void> {
  const { dialect } = session.executor;
  const secret = await readSecret(session, dialects[dialect]);
  const key = (store: MappedStore) => createHmac("sha256", secret).update(`restwright:versions:${store.model.name}`).digest("base64url");
  const server = await readServer(session);
  const differences: string[] = [];
  const catalogs = await readPostgresCatalogs(
    session,
    stores.map(({ mapping }) => mapping.options.name),
  );
  for (const [index, store] of stores.entries()) {
    const { options } = store.mapping;
    const catalog = catalogs[index];
    if (catalog === undefined) {
      differences.push(`${store.model.name}: there is no table or view ${JSON.stringify(options.name)}.`);
      continue;
    }
    try {
      store.open(catalog, postgresEngine(key(store), server));
    } catch (error) {
      differences.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (differences.length > 0) throw new Error(`The database and the collections differ:\n${differences.map((line) => `- ${line}`).join("\n")}`);
}

async function readServer(session: Session): Promise<PostgresServer> {
  const text = `
    select current_setting('server_version_num') as version, coalesce(
      (select 'pg_catalog."und-x-icu"' from pg_collation where collname = 'und-x-icu' and collnamespace = 'pg_catalog'::regnamespace limit 1),
      case when datctype not in ('C', 'POSIX') then 'pg_catalog."default"' end) as unicode
    from pg_database where datname = current_database()`;
  const { rows } = await run(session, { text, values: [], writes: false, returns: "one" });
  return { version: Number(rows[0]?.["version"]), unicode: rows[0]?.["unicode"] === null ? undefined : String(rows[0]?.["unicode"]) };
}
