import { isObject } from "../../ground/http/isObject.js";
import type { FieldModel } from "./field.js";
import { hasParts, isClosed, partOf, whole } from "./walk.js";

type Path = readonly (string | number)[];

/** A member that no type declares. */
export interface Undeclared {
  readonly path: Path;
  /** The names that stand beside it in the type. */
  readonly declared: readonly string[];
}

/** The members of objects inside of a value that their types do not declare. The alternatives of unions are not looked into. @param max how many are listed */
export function undeclaredIn(field: FieldModel, value: unknown, path: Path, max = Number.POSITIVE_INFINITY): Undeclared[] {
  const found: Undeclared[] = [];
  visit(field, value, path, max, found);
  return found;
}

function visit(given: FieldModel, value: unknown, path: Path, max: number, found: Undeclared[]): void {
  const field = whole(given);
  if (!hasParts(field) || (!Array.isArray(value) && !isObject(value))) return;
  if (field.kind === "array" && field.element !== undefined && !hasParts(field.element)) return;
  for (const [name, part] of Object.entries(value)) {
    if (found.length >= max) return;
    const step = Array.isArray(value) ? Number(name) : name;
    const type = partOf(field, step);
    if (type !== undefined) visit(type, part, [...path, step], max, found);
    else if (!Array.isArray(value) && isClosed(field)) found.push({ path: [...path, step], declared: [...(field.children?.keys() ?? [])] });
  }
}
