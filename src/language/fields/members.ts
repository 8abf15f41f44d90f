import type { FaultLocation } from "../../ground/problem/index.js";
import type { FieldModel } from "../schema/field.js";
import { type Chosen, leaveOut, unite } from "./chosen.js";
import type { Inquiry } from "./inquiry.js";
import type { Branch, Level } from "./level.js";
import type { PathTree } from "./paths.js";
import type { ChosenMembers } from "./selection.js";
import { reportUnknown } from "./unknownName.js";

/** The part of a field that a text selects; `undefined` if that is nothing, which is then reported. */
export function chooseMembers({ whole, parts }: Branch, field: FieldModel, path: string, inquiry: Inquiry): Chosen | undefined {
  const chosen = parts.flatMap((level) => membersOfLevel(level, field, path, inquiry) ?? []);
  return whole ? true : unite(chosen);
}

function membersOfLevel({ place, all, names, without }: Level, field: FieldModel, path: string, inquiry: Inquiry): Chosen | undefined {
  const named = new Map<string, true | ChosenMembers>();
  for (const [name, branch] of names) {
    const member = findMember(field, name, path, place, inquiry);
    const chosen = member && chooseMembers(branch, member, `${path}.${name}`, inquiry);
    if (chosen !== undefined) named.set(name, chosen);
  }
  checkMembers(without, field, path, inquiry);
  // A text has no members, not even `*`.
  if (all && memberNames(field).length === 0 && !findMember(field, "*", path, place, inquiry)) return undefined;
  if (all) return leaveOut(true, { whole: false, below: without });
  return named.size === 0 ? undefined : { all: false, named };
}

/** Reports the names of a path tree that are not members. */
export function checkMembers(tree: PathTree, field: FieldModel, path: string, inquiry: Inquiry): void {
  for (const [name, { below, place }] of tree) {
    const member = findMember(field, name, path, place, inquiry);
    if (member) checkMembers(below, member, `${path}.${name}`, inquiry);
  }
}

function findMember(field: FieldModel, name: string, path: string, place: FaultLocation, inquiry: Inquiry): FieldModel | undefined {
  return memberOf(field, name) ?? reportUnknown({ name, before: `${path}.`, visible: memberNames(field), place }, inquiry);
}

/** The member of an object, or of the objects in an array. Data without a schema may have any member. */
function memberOf(field: FieldModel, name: string): FieldModel | undefined {
  // Assigning this name to an object would set its prototype.
  if (name === "__proto__") return undefined;
  switch (field.kind) {
    case "array":
      return field.element && memberOf(field.element, name);
    case "object":
      return field.children?.get(name) ?? (field.open ? { ...field, kind: "unknown" } : undefined);
    case "record":
      return field.element;
    case "union":
      return memberOfUnion(field.members ?? [], name);
    default:
      return field.kind === "unknown" ? field : undefined;
  }
}

function memberOfUnion(members: readonly FieldModel[], name: string): FieldModel | undefined {
  const found = members.flatMap((member) => memberOf(member, name) ?? []);
  const [first] = found;
  // The same name may be an object in one alternative and a text in another: its members are looked up in all.
  return first && found.length > 1 ? { ...first, kind: "union", members: found } : first;
}

function memberNames(field: FieldModel): string[] {
  if (field.kind === "array") return field.element ? memberNames(field.element) : [];
  if (field.kind === "union") return (field.members ?? []).flatMap(memberNames);
  return [...(field.children?.keys() ?? [])];
}
