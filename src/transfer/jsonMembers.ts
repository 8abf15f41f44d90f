import { checkJson } from "../http/json.js";
import { ProblemError } from "../problem/index.js";
import { quoted } from "../query/fault.js";
import { isPlainObject } from "../schema/wire.js";
import { faultsOf } from "./rowResult.js";
import type { RowFault, SourceRow } from "./rows.js";

/** What a row of JSON says, or why it says nothing. */
export type JsonMembers = { readonly members: Readonly<Record<string, unknown>> } | { readonly fault: RowFault };

/**
 * The members of a row of JSON, under the names of fields.
 *
 * @param map fields by the names that the file has for them
 * @param isLeftOut of names of fields; absent where all is taken
 */
export function jsonMembers(
  { value, fault }: SourceRow,
  map: Readonly<Record<string, string>>,
  isLeftOut?: ((name: string) => boolean) | undefined,
): JsonMembers {
  if (fault !== undefined) return { fault };
  if (!isPlainObject(value)) return { fault: { code: "ROW_NOT_OBJECT", detail: "The row is no JSON object." } };
  const refused = textFault(value);
  if (refused !== undefined) return { fault: refused };
  const entries = Object.entries(value);
  if (isLeftOut === undefined && !entries.some(([given]) => Object.hasOwn(map, given))) return { members: value };
  const named = new Map<string, unknown>();
  for (const [given, member] of entries) {
    const name = Object.hasOwn(map, given) ? (map[given] ?? given) : given;
    // What somebody has named is not left out without a word.
    if (isLeftOut?.(name) === true && name === given) continue;
    if (named.has(name)) return { fault: { code: "VALIDATION_FAILED", detail: `Two members of the row mean ${quoted(name)}.`, field: name } };
    named.set(name, member);
  }
  return { members: Object.fromEntries(named) };
}

const unlimited = { depth: Number.POSITIVE_INFINITY, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

/** Text that no engine keeps as it is. The row has been checked for the rest, so that its depth is known to be harmless. */
function textFault(value: Readonly<Record<string, unknown>>): RowFault | undefined {
  if (isPlainText(value)) return undefined;
  try {
    checkJson(value, unlimited);
    return undefined;
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    return faultsOf(error)[0];
  }
}

/** Whether the full check can find nothing: most rows are flat. */
function isPlainText(value: Readonly<Record<string, unknown>>): boolean {
  for (const name in value) {
    const member = value[name];
    if (typeof member === "object" ? member !== null : typeof member === "string" && !isKept(member)) return false;
    if (!isKept(name)) return false;
  }
  return true;
}

function isKept(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
