import type { ChosenFields, ChosenMembers } from "../fields/selection.js";
import type { FieldModel } from "../schema/field.js";
import type { CsvColumn } from "./rowEncoder.js";

type Fields = ReadonlyMap<string, FieldModel>;

/**
 * The columns of the chosen fields, in their order. An object whose members are all declared becomes one column for each member, named with dots
 * (`address.city`). Arrays, records, open objects and unions become one column of JSON.
 */
export function csvColumns(fields: Fields, chosen: ChosenFields): readonly CsvColumn[] {
  return [...chosen].flatMap(([name, members]) => columnsAt(fields.get(name), [name], members));
}

function columnsAt(field: FieldModel | undefined, path: readonly string[], chosen: true | ChosenMembers): readonly CsvColumn[] {
  const children = field === undefined ? undefined : declaredMembers(field);
  if (children === undefined) return [{ name: path.join("."), path }];
  return membersOf(children, chosen).flatMap(([name, members]) => columnsAt(children.get(name), [...path, name], members));
}

/** `undefined` if the field is not an object with declared members only, or if a member has a dot in its name, which would read as two names. */
function declaredMembers({ kind, open, children }: FieldModel): Fields | undefined {
  if (kind !== "object" || open || children === undefined || children.size === 0) return undefined;
  return [...children.keys()].some((name) => name.includes(".")) ? undefined : children;
}

function membersOf(children: Fields, chosen: true | ChosenMembers): readonly (readonly [string, true | ChosenMembers])[] {
  if (chosen === true) return [...children.keys()].map((name) => [name, true]);
  const names = chosen.all ? [...children.keys()] : [...chosen.named.keys()].filter((name) => children.has(name));
  return names.flatMap((name) => {
    const members = chosen.named.get(name) ?? true;
    return members === false ? [] : [[name, members] as const];
  });
}
