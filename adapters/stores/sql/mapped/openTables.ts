import { createHmac } from "node:crypto";
import type { MigrateOptions } from "../../../../src/ground/storage/storage.js";
import { run, type Session } from "../engine/session.js";
import { readSecret } from "../records/secret.js";
import { warnOfLackingMembers } from "../schema/lackingMembers.js";
import { isComputed } from "./catalog.js";
import { checkTables } from "./check/checkTables.js";
import type { MappedStore } from "./mappedStore.js";
import { type PostgresServer, postgresEngine } from "./postgres/engine.js";
import { readPostgresCatalogs } from "./postgres/readCatalog.js";
import { checkDefaults } from "./sqlite/defaults.js";
import { sqliteEngine } from "./sqlite/engine.js";
import { readSqliteCatalogs } from "./sqlite/readCatalog.js";
import { warnOfMixedUuids, withUuidLetters } from "./uuids.js";

/**
 * Reads the columns of the developer's tables and compares them with their collections.
 *
 * @throws {Error} with all differences, each with what to write
 */
export async function openTables(session: Session, stores: readonly MappedStore[], warn: MigrateOptions["warn"] = () => {}): Promise<void> {
  const { dialect } = session.executor;
  const secret = await readSecret(session);
  const key = (store: MappedStore) => createHmac("sha256", secret).update(`restwright:versions:${store.model.name}`).digest("base64url");
  const names = stores.map(({ mapping }) => mapping.options.name);
  const server = dialect === "sqlite" ? undefined : await readServer(session);
  const engineOf = (secretKey: string) => (server === undefined ? sqliteEngine(secretKey) : postgresEngine(secretKey, server));
  const catalogs = await (server === undefined ? readSqliteCatalogs(session, names) : readPostgresCatalogs(session, names));
  const read = stores.map((store, index) => ({ store, model: store.model, mapping: store.mapping, catalog: catalogs[index] }));
  const found = checkTables(read, engineOf(""));
  const [differences, warnings] = [[...found.differences], [...found.warnings]];
  // Of a table that differs in other ways its columns may be unknown.
  if (server === undefined && differences.length === 0) {
    for (const { model, mapping, catalog } of read) {
      if (catalog === undefined) continue;
      await checkDefaults(session, model.name, mapping, catalog, {
        differs: (sentence) => void differences.push(`${model.name}: ${sentence}`),
        warns: (message) => void warnings.push({ collection: model.name, message: `${model.name}: ${message}` }),
      });
    }
  }
  if (differences.length > 0) throw new Error(`The database and the collections differ:\n${differences.map((line) => `- ${line}`).join("\n")}`);
  for (const { collection, message } of warnings) warn({ collection }, message);
  const tables = await withUuidLetters(session, read);
  warnOfMixedUuids(tables, warn);
  for (const { store, catalog } of tables) {
    if (catalog === undefined) continue;
    store.open(catalog, engineOf(key(store)));
    if (!isComputed(catalog)) await warnOfLackingMembers(session, store.table, warn);
  }
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
