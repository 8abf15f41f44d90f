import type { Context } from "../operation/context.js";
import type { Row } from "../storage/collection.js";

/** Whether a row is one that the path can mean: below a parent only that parent's. */
export function inScope({ scope }: Context, row: Row): boolean {
  return scope === undefined || Object.entries(scope.values).every(([name, value]) => row[name] === value);
}
