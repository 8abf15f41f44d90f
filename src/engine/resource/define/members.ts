import { safeParse } from "zod";
import { isObject } from "../../../ground/http/isObject.js";
import type { MemberDefault, MissingMember } from "../../../ground/storage/model.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import { fieldTable } from "../../../language/query/table.js";
import { storedDefault } from "../../../language/schema/declared.js";
import { columnKind, type FieldModel } from "../../../language/schema/field.js";
import type { ResourceField } from "../resource.js";

/** What stands for the members that rows lack, for each path that a condition or an order can name: a member below one with a default has a part of it. */
export function memberDefaults(collection: string, fields: Iterable<ResourceField>): readonly MemberDefault[] {
  const known = new Map<FieldModel, unknown>();
  const defaultOf = (field: FieldModel): unknown => {
    if (!known.has(field)) known.set(field, storedDefault(field)?.());
    return known.get(field);
  };
  return [...fieldTable(collection, fields).values()].flatMap(({ path, root }) => {
    const cases = path.length === 1 ? [] : casesOf(path, root, defaultOf);
    return cases.length === 0 ? [] : [{ path, cases }];
  });
}

function casesOf(path: Path, root: FieldModel, defaultOf: (field: FieldModel) => unknown): MissingMember[] {
  const cases: MissingMember[] = [];
  let field: FieldModel | undefined = root;
  for (const [index, name] of path.slice(1).entries()) {
    field = field?.children?.get(name);
    if (field === undefined) break;
    const missing = path.slice(0, index + 2) as unknown as Path;
    const value = path.slice(missing.length).reduce<unknown>((inner, step) => (isObject(inner) ? inner[step] : undefined), defaultOf(field));
    if (value !== undefined && value !== null) cases.push({ missing, value });
  }
  return cases;
}

/** The members that a value of their object cannot be without. What arrays, records and unions contain is not looked into. */
export function requiredMembers(collection: string, fields: Iterable<ResourceField>): readonly Path[] {
  const members = [...fieldTable(collection, fields).values()].filter(({ path, root }) => path.length > 1 && columnKind(root) === "json");
  return members.filter(({ field }) => !field.optional && !field.hasDefault && !takesNothing(field)).map(({ path }) => path);
}

/** Whether a type takes a missing member without saying so, as `z.unknown()` does. */
function takesNothing({ schema }: FieldModel): boolean {
  try {
    return safeParse(schema, undefined).success;
  } catch {
    // It is checked by a promise.
    return true;
  }
}
