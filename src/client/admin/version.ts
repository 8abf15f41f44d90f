import type { ResourceCalls } from "../collection.js";
import type { PreconditionFailedError } from "../errors.js";
import type { RowId } from "../parameters.js";
import { etagOf } from "../rowTags.js";
import { apiError } from "../transport/failure.js";
import { isSame } from "./changes.js";
import { isObject, type Members } from "./members.js";

/**
 * The ETag of the row that a page shows. A row of a list and a copy have none: then the row is read, and its ETag is that of the shown one if both agree.
 *
 * @param options of the write; its own `ifMatch` is taken as it is
 * @throws {PreconditionFailedError} with the row as it is, if the page shows other values
 */
export async function versionOf(calls: ResourceCalls, id: RowId, shown: Members | undefined, options: Members): Promise<string | object | undefined> {
  // Null means that the write has no condition.
  const { ifMatch } = options as { readonly ifMatch?: string | object | null | undefined };
  if (ifMatch !== undefined) return ifMatch ?? undefined;
  const known = shown && etagOf(shown);
  if (known !== undefined || shown === undefined) return known;
  const row = (await calls.get(id, readOptionsOf(options))) as Members;
  // What the page does not show, and relations that only the page has, are not compared.
  const changed = Object.keys(row).filter((name) => name in shown && !agree(shown[name], row[name]));
  if (changed.length === 0) return etagOf(row);
  const detail = `The row has changed since it was shown: ${changed.join(", ")}.`;
  const problem = { type: "about:blank", title: "Precondition Failed", status: 412, detail, code: "PRECONDITION_FAILED" } as const;
  throw Object.assign(apiError(problem) as PreconditionFailedError, { current: row, attempts: 1 });
}

/** What a write and a read have in common. */
function readOptionsOf(options: Members): Members {
  const isOfOthers = /^(fields|exclude|include|ifMatch|idempotencyKey|prefer)$/;
  return Object.fromEntries(Object.entries(options).filter(([name]) => !isOfOthers.test(name)));
}

/** A page may show some members of an object only, and a file instead of its id. */
function agree(shown: unknown, now: unknown): boolean {
  if (!isObject(shown)) return isSame(shown, now);
  if (typeof now === "string") return shown["id"] === now;
  return isObject(now) && Object.entries(shown).every(([name, value]) => value === undefined || agree(value, now[name]));
}
