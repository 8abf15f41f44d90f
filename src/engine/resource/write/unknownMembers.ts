import { pointer } from "../../../ground/http/pointer.js";
import { closest } from "../../../ground/problem/closest.js";
import { maxItems, type ProblemItem } from "../../../ground/problem/problem.js";
import type { FieldModel } from "../../../language/schema/field.js";
import { undeclaredIn } from "../../../language/schema/undeclared.js";

type Path = readonly (string | number)[];

/** Longest member name that a response repeats. */
const nameLength = 256;

/**
 * The fault of a member that is not in the schema.
 *
 * @param nameable Names that a hint may show.
 */
export function unknownMember(path: Path, nameable: Iterable<string>): ProblemItem {
  const name = String(path.at(-1));
  const near = name.length > nameLength ? undefined : closest(name, nameable);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  return {
    code: "UNKNOWN_FIELD",
    detail: `Unknown member "${name.slice(0, 64)}".${hint}`,
    pointer: pointer(name.length > nameLength ? path.slice(0, -1) : path),
    ...(near === undefined ? {} : { hint: `did you mean "${near}"` }),
  };
}

/** Finds members that no type of a field declares: zod drops them, but a client should learn of them. Stops when the response is full. */
export function unknownMembersIn(field: FieldModel, value: unknown, path: Path, isNameable: boolean, problems: ProblemItem[]): void {
  const found = undeclaredIn(field, value, path, maxItems - problems.length);
  problems.push(...found.map((each) => unknownMember(each.path, isNameable ? each.declared : [])));
}
