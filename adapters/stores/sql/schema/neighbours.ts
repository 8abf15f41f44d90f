import type { Session } from "../engine/session.js";
import { existingTables } from "./existing.js";
import type { OwnTable } from "./table.js";

const ownTable = /^(.*)_restwright$/;

/**
 * The prefixes of other storages in the same schema or file.
 *
 * @param found the names of the tables there
 */
export function otherPrefixes(found: readonly string[], prefix: string): readonly string[] {
  return found.flatMap((name) => ownTable.exec(name)?.[1] ?? []).filter((other) => other !== prefix);
}

/**
 * Checks that no table of this storage can be one of another storage in the same schema or file, whose prefix begins like the name of the table.
 *
 * @throws {Error} naming the table and both prefixes
 */
export async function checkNeighbours(session: Session, tables: readonly OwnTable[]): Promise<void> {
  if (tables.length === 0) return;
  const { prefix, ownName } = session.dialect.place;
  const found = await existingTables(session);
  const others = otherPrefixes(found, prefix);
  const isNew = !found.includes(ownName("values"));
  for (const { model, name } of tables) {
    const other = others.find((each) => name.startsWith(each) && (each.length > prefix.length || (isNew && found.includes(name))));
    if (other === undefined) continue;
    throw new Error(
      `The collection "${model.name}" would have the table "${name}", which another storage with the prefix "${other}" may use; this one has the prefix "${prefix}". ` +
        "Choose prefixes of which none begins the names of the other's tables, or rename the collection.",
    );
  }
}
