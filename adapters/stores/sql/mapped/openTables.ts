import { createHmac } from "node:crypto";
import type { MigrateOptions } from "../../../../src/ground/storage/storage.js";
import type { Session } from "../engine/session.js";
import { readSecret } from "../records/secret.js";
import { warnOfLackingMembers } from "../schema/lackingMembers.js";
import { isComputed } from "./catalog.js";
import { checkTables } from "./check/checkTables.js";
import type { MappedStore } from "./mappedStore.js";
import { warnOfMixedUuids, withUuidLetters } from "./uuids.js";

/**
 * Reads the columns of the developer's tables and compares them with their collections.
 *
 * @throws {Error} with all differences, each with what to write
 */
export async function openTables(session: Session, stores: readonly MappedStore[], warn: MigrateOptions["warn"] = () => {}): Promise<void> {
  const { mapped, title } = session.dialect;
  if (mapped === undefined) throw new Error(`Tables of the developer are not supported on ${title}.`);
  const secret = await readSecret(session);
  const key = (store: MappedStore) => createHmac("sha256", secret).update(`restwright:versions:${store.model.name}`).digest("base64url");
  const names = stores.map(({ mapping }) => mapping.options.name);
  const engineOf = await mapped.open(session);
  const catalogs = await mapped.readCatalogs(session, names);
  const read = stores.map((store, index) => ({ store, model: store.model, mapping: store.mapping, catalog: catalogs[index] }));
  const found = checkTables(read, engineOf(""));
  const [differences, warnings] = [[...found.differences], [...found.warnings]];
  // Of a table that differs in other ways its columns may be unknown.
  if (differences.length === 0) {
    for (const { model, mapping, catalog } of read) {
      if (catalog === undefined) continue;
      await mapped.checkDefaults?.(
        session,
        { model, mapping, catalog },
        {
          differs: (sentence) => void differences.push(`${model.name}: ${sentence}`),
          warns: (message) => void warnings.push({ collection: model.name, message: `${model.name}: ${message}` }),
        },
      );
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
