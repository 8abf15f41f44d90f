import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { ProblemError } from "../../../ground/problem/index.js";

/** The items of a batch, and the name of their member. */
export interface BatchItems<Name extends string> {
  readonly member: Name;
  readonly items: readonly unknown[];
}

/**
 * Reads the items in the body of a batch. Their number is checked first.
 *
 * @param names allowed names of the member; one of them is required
 * @throws {ProblemError} INVALID_BATCH, EMPTY_BATCH, BATCH_TOO_LARGE
 */
export function readItems<const Name extends string>(body: unknown, names: readonly Name[], maximum: number): BatchItems<Name> {
  const shape = names.map((name) => `{"${name}": […]}`).join(" or ");
  if (!isObject(body)) throw invalid(`The body must be ${shape}.`, "", names);
  const unknown = Object.keys(body).find((key) => !names.some((name) => name === key));
  if (unknown !== undefined) throw invalid(`The body must be ${shape}; it has a member "${unknown.slice(0, 64)}".`, pointer([unknown]), names);
  const [member, other] = names.filter((name) => Object.hasOwn(body, name));
  const items = member === undefined ? undefined : body[member];
  if (member === undefined || other !== undefined || !Array.isArray(items)) {
    throw invalid(`The body must be ${shape}.`, member === undefined ? "" : pointer([other ?? member]), names);
  }
  if (items.length === 0) throw new ProblemError("EMPTY_BATCH", `"${member}" is empty.`, { errors: [emptyItem(member)] });
  if (items.length > maximum) throw tooManyItems(items.length, maximum);
  return { member, items };
}

/** @param count `undefined` if counting stopped at the limit */
export function tooManyItems(count: number | undefined, maximum: number, hint = ""): ProblemError {
  const what = count === undefined ? `more than ${maximum}` : String(count);
  return new ProblemError("BATCH_TOO_LARGE", `The batch has ${what} items; at most ${maximum} are allowed.${hint}`, { extensions: { maximum } });
}

function emptyItem(member: string) {
  return { code: "EMPTY_BATCH", detail: `"${member}" is empty.`, pointer: pointer([member]) } as const;
}

function invalid(detail: string, where: string, allowed: readonly string[]): ProblemError {
  return new ProblemError("INVALID_BATCH", detail, { errors: [{ code: "INVALID_BATCH", detail, pointer: where, allowed }] });
}
