import { z } from "zod";
import { listOf } from "../../ground/options/index.js";
import type { FileCheck } from "./fileCheck.js";
import { textCheck } from "./types/textCheck.js";
import { checkOfTypes, type TypeCheckOptions } from "./types/typeCheck.js";

/**
 * All checks for files of these types; the type is checked first.
 *
 * @param place the option that contains `types`, such as `uploads`
 * @throws {ConfigurationError} for an unknown type
 */
export function fileChecks(place: string, types: TypeCheckOptions["types"], others: readonly FileCheck[]): readonly FileCheck[] {
  return [checkOfTypes(`${place}.types`, { types }), ...(types === "any" ? [] : [textCheck()]), ...others];
}

const needs: ReadonlySet<unknown> = new Set<FileCheck["needs"]>(["head", "stream", "file"]);

/** The schema of a list of checks: anything else in the list would reject every file, or check none. */
export function checksSchema(): z.ZodType {
  const error = ({ input }: { readonly input?: unknown }) => {
    const call = typeof input === "function" && input.name !== "" ? ` (call it: ${input.name}())` : "";
    return `a check, with "name", "needs" and "run"${call}`;
  };
  const check = z.custom(isCheck, { error });
  return listOf(check, "an array, such as [zipCheck()]");
}

function isCheck(check: unknown): boolean {
  if (typeof check !== "object" || check === null) return false;
  return "name" in check && "run" in check && typeof check.run === "function" && "needs" in check && needs.has(check.needs);
}
