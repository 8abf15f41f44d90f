import type { Filter } from "../../../ground/storage/filter.js";
import { fieldsOf } from "../../../ground/storage/filterParts.js";
import type { CollectionModel } from "../../../ground/storage/model.js";

/** Whether a scope of creates names the id that the store assigns: then the row is judged after its insert, in the same transaction. */
export function namesStoreId({ id, idFrom }: CollectionModel, filter: Filter | undefined): boolean {
  return idFrom === "store" && filter !== undefined && fieldsOf(filter).includes(id);
}
