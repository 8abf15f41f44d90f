import type { RelatedFilter } from "./filter.js";
import type { CollectionModel, ColumnKind } from "./model.js";

/**
 * Checks that a foreign key can equal the ids of the other collection. Engines would otherwise convert one to the type of the other, each in its own way.
 *
 * @param model the collection that the filter is on
 * @throws {Error} naming both
 */
export function checkRelatedKey(model: CollectionModel, { path, collection }: RelatedFilter): void {
  const [name, ...keys] = path;
  const kind = keys.length === 0 ? typeOf(model, name) : undefined;
  if (kind !== undefined && kind === typeOf(collection, collection.id)) return;
  throw new Error(`${model.name}: "${path.join(".")}" cannot be related to the ids of "${collection.name}": it must be a column of the same type.`);
}

function typeOf({ columns }: CollectionModel, name: string): "text" | "number" | undefined {
  const kind: ColumnKind | undefined = columns.find((column) => column.name === name)?.kind;
  if (kind === "text") return "text";
  return kind === "int" || kind === "bigint" || kind === "number" ? "number" : undefined;
}
