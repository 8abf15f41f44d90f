import { ConfigurationError, shown } from "../../problem/index.js";
import type { FileCheck } from "./fileCheck.js";
import { textCheck } from "./types/textCheck.js";
import { checkOfTypes, type TypeCheckOptions } from "./types/typeCheck.js";

/**
 * All checks of files that may be of these types: what they are is looked into first.
 *
 * @param place where `types` and `checks` stand, such as `uploads`
 * @throws {ConfigurationError} for a type that is not known here, and for what is no check
 */
export function fileChecks(place: string, types: TypeCheckOptions["types"], others: readonly FileCheck[]): readonly FileCheck[] {
  return [checkOfTypes(`${place}.types`, { types }), ...(types === "any" ? [] : [textCheck()]), ...requireChecks(`${place}.checks`, others)];
}

const needs: ReadonlySet<unknown> = new Set<FileCheck["needs"]>(["head", "stream", "file"]);

/** A list that holds something else would refuse every file, or look into none. */
function requireChecks(place: string, checks: readonly FileCheck[]): readonly FileCheck[] {
  if (!Array.isArray(checks)) throw new ConfigurationError(`"${place}" must be an array, such as [zipCheck()]; got ${shown(checks)}.`);
  checks.forEach((check: unknown, index) => {
    if (isCheck(check)) return;
    const call = typeof check === "function" && check.name !== "" ? ` Call it: ${check.name}().` : "";
    throw new ConfigurationError(`"${place}[${index}]" must be a check, with "name", "needs" and "run"; got ${shown(check)}.${call}`);
  });
  return checks;
}

function isCheck(check: unknown): boolean {
  if (typeof check !== "object" || check === null) return false;
  return "name" in check && "run" in check && typeof check.run === "function" && "needs" in check && needs.has(check.needs);
}
