import type { Filter } from "../../storage/filter.js";
import type { CollectionModel } from "../../storage/model.js";

/** Whether a scope of creates names the id that the store assigns: then the row is judged after its insert, in the same transaction. */
export function namesStoreId({ id, idFrom }: CollectionModel, filter: Filter | undefined): boolean {
  return idFrom === "store" && filter !== undefined && names(filter, id);
}

function names(filter: Filter, field: string): boolean {
  switch (filter.op) {
    case "and":
    case "or":
      return filter.args.some((arg) => names(arg, field));
    case "not":
      return names(filter.arg, field);
    case "search":
      return false;
    default:
      return filter.path[0] === field;
  }
}
