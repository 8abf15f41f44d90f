import type { Environment } from "../operation/environment.js";
import type { Resource } from "../resource/resource.js";
import type { Call } from "../storage/collection.js";
import type { Id } from "../storage/scalar.js";
import type { RowFault } from "./rows.js";

/** Values of a row that is to be written. */
type Values = Readonly<Record<string, unknown>>;

/**
 * Finds rows that name others which are not there: one query for each relation, however many rows.
 *
 * @param rows `undefined` in the place of those that are not written
 * @param options `exceptOwn`: rows of the same collection may still come to be
 * @returns the faults of each row, at its place
 */
export async function findMissingReferences(
  resource: Resource,
  environment: Environment,
  rows: readonly (Values | undefined)[],
  call: Call,
  { exceptOwn = false }: { readonly exceptOwn?: boolean } = {},
): Promise<readonly (RowFault | undefined)[]> {
  const faults: (RowFault | undefined)[] = rows.map(() => undefined);
  for (const relation of resource.relations.values()) {
    if (relation.kind !== "belongsTo") continue;
    const { foreignKey, collection } = relation;
    const isOwn = collection === resource.name;
    if (isOwn && exceptOwn) continue;
    const ids = new Set(rows.flatMap((row) => (row?.[foreignKey] === undefined || row[foreignKey] === null ? [] : [row[foreignKey] as Id])));
    if (ids.size === 0) continue;
    const known = await idsThatExist(environment, collection, [...ids], call);
    for (const [index, row] of rows.entries()) {
      const id = row?.[foreignKey] as Id | null | undefined;
      if (id !== undefined && id !== null && !known.has(String(id))) {
        faults[index] ??= { code: "UNKNOWN_REFERENCE", detail: `There is no "${String(id).slice(0, 64)}" in "${collection}".`, field: foreignKey };
      }
      // A row may name one that stands before it in the file.
      if (isOwn && row?.[resource.id.name] !== undefined && faults[index] === undefined) known.add(String(row[resource.id.name]));
    }
  }
  return faults;
}

async function idsThatExist(environment: Environment, collection: string, ids: readonly Id[], call: Call): Promise<Set<string>> {
  const model = environment.models.get(collection);
  if (model === undefined) return new Set();
  const path = [model.id] as const;
  const found = await environment
    .collection(collection)
    .find({ filter: { op: "in", path, values: ids }, sort: [{ path, dir: "asc" }], fields: [path], limit: ids.length }, call);
  return new Set(found.map((row) => String(row[model.id])));
}
