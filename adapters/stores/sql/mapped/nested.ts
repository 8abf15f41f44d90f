import type { Row } from "../../../../src/ground/storage/collection.js";
import type { Leaf } from "./leaves.js";

/** A member of a row: a column, or an object of members. */
interface Member {
  readonly name: string;
  readonly isNullable: boolean;
  /** The key of its value among those of the columns. */
  readonly key: string | undefined;
  readonly members: Member[];
}

/**
 * Returns a function that puts objects together whose members have columns of their own. An object is null if all of its columns are null and it may be.
 *
 * @param columns with the keys of their values
 */
export function nesting(columns: readonly { readonly name: string; readonly leaf?: Leaf | undefined }[]): (flat: Row) => Row {
  const top: Member = { name: "", isNullable: false, key: undefined, members: [] };
  for (const { name, leaf } of columns) {
    let parent = top;
    for (const group of leaf?.above ?? []) parent = memberOf(parent, group.name, group.isNullable);
    const own = leaf?.path.at(-1) ?? name;
    parent.members.push({ name: own, isNullable: parent === top || leaf?.field.isNullable === true, key: name, members: [] });
  }
  return (flat) => objectOf(top, flat) as unknown as Row;
}

function memberOf(parent: Member, name: string, isNullable: boolean): Member {
  const known = parent.members.find((member) => member.name === name);
  if (known !== undefined) return known;
  const member: Member = { name, isNullable, key: undefined, members: [] };
  parent.members.push(member);
  return member;
}

function objectOf({ members, isNullable }: Member, flat: Row): Record<string, unknown> | null {
  const object: Record<string, unknown> = {};
  let hasValue = false;
  for (const member of members) {
    const value = member.key === undefined ? objectOf(member, flat) : flat[member.key];
    if (value !== null && value !== undefined) hasValue = true;
    else if (!member.isNullable) continue;
    object[member.name] = value ?? null;
  }
  return hasValue || !isNullable ? object : null;
}
