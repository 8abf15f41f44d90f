import type { FileCheck } from "./fileCheck.js";
import { textCheck } from "./types/textCheck.js";
import { type TypeCheckOptions, typeCheck } from "./types/typeCheck.js";

/**
 * All checks of files that may be of these types: what they are is looked into first.
 *
 * @throws {ConfigurationError} for a type that is not known here
 */
export function fileChecks(types: TypeCheckOptions["types"], others: readonly FileCheck[]): readonly FileCheck[] {
  return [typeCheck({ types }), ...(types === "any" ? [] : [textCheck()]), ...others];
}
