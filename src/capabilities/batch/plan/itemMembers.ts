import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { ProblemError } from "../../../ground/problem/index.js";

/**
 * The members of an item that is an object.
 *
 * @throws {ProblemError} VALIDATION_FAILED for any other value, and for unknown members
 */
export function itemMembers(item: unknown, allowed: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isObject(item)) throw invalidItem(`An item must be an object with ${allowed.map(quoted).join(", ")}.`, "", allowed);
  for (const name of Object.keys(item)) {
    if (!allowed.includes(name)) throw invalidItem(`An item has no member "${name.slice(0, 64)}".`, pointer([name]), allowed);
  }
  return item;
}

/** The precondition of an item: an entity tag, as in `If-Match`. */
export function itemIfMatch({ ifMatch }: Readonly<Record<string, unknown>>): string | undefined {
  if (ifMatch === undefined || (typeof ifMatch === "string" && isHeaderText(ifMatch))) return ifMatch;
  throw invalidItem(`"ifMatch" must be an entity tag, as in "etag", or "*".`, "/ifMatch");
}

/** The same problem, with pointers from the item. */
export function belowMember(problem: ProblemError, member: string): ProblemError {
  const { code, message, status, headers, extensions, cause } = problem;
  const errors = problem.errors.map((item) => (item.pointer === undefined ? item : { ...item, pointer: `${pointer([member])}${item.pointer}` }));
  return new ProblemError(code, message, { status, errors, headers, extensions, cause });
}

function invalidItem(detail: string, where: string, allowed?: readonly string[]): ProblemError {
  return new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: where, allowed }] });
}

function isHeaderText(text: string): boolean {
  return text.length <= 1_024 && /^[\x20-\x7e]*$/.test(text);
}

function quoted(name: string): string {
  return `"${name}"`;
}
