import { isObject } from "../../http/isObject.js";
import { pointer } from "../../http/pointer.js";
import { closest } from "../../problem/closest.js";
import { maxItems, type ProblemItem } from "../../problem/problem.js";
import type { FieldModel } from "../../schema/field.js";

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

/** Finds members that a nested object does not declare: zod drops them, but a client should learn of them. Stops when the response is full. */
export function unknownMembersIn(field: FieldModel, value: unknown, path: Path, isNameable: boolean, problems: ProblemItem[]): void {
  if (problems.length >= maxItems) return;
  if (Array.isArray(value) && field.kind === "array" && field.element) {
    const { element } = field;
    if (!element.children && !element.element) return;
    for (const [index, item] of value.entries()) unknownMembersIn(element, item, [...path, index], isNameable, problems);
  } else if (field.children && !field.open && isObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (problems.length >= maxItems) return;
      const child = field.children.get(name);
      if (child) unknownMembersIn(child, member, [...path, name], isNameable, problems);
      else problems.push(unknownMember([...path, name], isNameable ? field.children.keys() : []));
    }
  }
}
