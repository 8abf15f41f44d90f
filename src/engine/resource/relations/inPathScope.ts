import type { Row } from "../../../ground/storage/collection.js";
import type { Context } from "../../operation/context.js";

/** Whether a row belongs to the path: below a parent only that parent's rows do. */
export function inPathScope({ pathScope }: Context, row: Row): boolean {
  return pathScope === undefined || Object.entries(pathScope.values).every(([name, value]) => row[name] === value);
}
