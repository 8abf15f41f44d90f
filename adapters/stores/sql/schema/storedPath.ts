import type { CollectionModel } from "../../../../src/ground/storage/model.js";
import type { Path } from "../../../../src/ground/storage/values/scalar.js";

const renamed = new WeakMap<CollectionModel, ReadonlyMap<string, string>>();

/** A path as the database names it: a field that has been renamed keeps its column, with the shadow columns and indexes of that. */
export function storedPath(model: CollectionModel, [name, ...keys]: Path): Path {
  let names = renamed.get(model);
  if (names === undefined) {
    names = new Map(model.columns.flatMap((column) => (column.storedAs === undefined ? [] : [[column.name, column.storedAs]])));
    renamed.set(model, names);
  }
  return [names.get(name) ?? name, ...keys];
}
