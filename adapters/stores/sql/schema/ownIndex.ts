import { fittingName, quoteIdentifier } from "./identifier.js";
import type { OwnTableName, Place } from "./place.js";
import type { IndexDefinition } from "./schema.js";

/**
 * An index of a table beside those of collections.
 *
 * @param definition its columns and condition
 */
export function ownIndex(
  { own, ownName }: Place,
  table: OwnTableName,
  purpose: string,
  definition: string,
  { isUnique = false }: { readonly isUnique?: boolean } = {},
): IndexDefinition {
  const name = fittingName(`${ownName(table)}:${purpose}`);
  return { name, text: `create ${isUnique ? "unique " : ""}index if not exists ${quoteIdentifier(name)} on ${own[table]} ${definition}` };
}
