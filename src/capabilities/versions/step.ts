import { isDeepStrictEqual } from "node:util";
import { isMade } from "../../engine/resource/generators.js";
import type { Resource, ResourceField } from "../../engine/resource/resource.js";
import type { Members, VersionChange } from "../../engine/resource/versionChange.js";
import { inputOf, toBodyValue, toRowValue, withUndeclared } from "../../engine/resource/write/rowValues.js";
import { pointer } from "../../ground/http/pointer.js";
import type { ProblemItem } from "../../ground/problem/index.js";
import type { Row } from "../../ground/storage/collection.js";

/** One change between a resource and its neighbour, with the fields of both. */
export interface StepChange {
  readonly change: VersionChange;
  /** The replaced fields of the neighbour that is nearer to the schema. */
  readonly near: readonly ResourceField[];
  /** The members of this version. */
  readonly far: readonly ResourceField[];
  /** Whether only the server sets the replaced fields. */
  readonly isFixed: boolean;
}

/** How a collection in one version differs from its neighbour that is nearer to the schema. */
export interface Step {
  readonly near: Resource;
  readonly far: Resource;
  readonly changes: readonly StepChange[];
}

/** Whether only the server sets the fields. */
export function isFixed(fields: readonly ResourceField[]): boolean {
  return fields.length > 0 && fields.every(isMade);
}

/** The row of the neighbour that a row was made from. A copy of the row keeps it. */
const source = Symbol("restwright.versionSource");

/** The row of the neighbour that a row or a copy of it was made from; `undefined` for a new row. */
export function sourceOf(row: Members): Row | undefined {
  return (row as { readonly [source]?: Row })[source];
}

/** The row of the schema that a row was read from. */
export function originalOf(row: Row): Row {
  const before = sourceOf(row);
  return before === undefined ? row : originalOf(before);
}

/** A row of the neighbour, as this version has it. @param changes those whose fields the row has */
export function readRow({ changes: all }: Step, row: Row, changes: readonly StepChange[] = all): Row {
  const shown: Record<string | symbol, unknown> = {};
  const replaced = replacedNames(all);
  // Not a copy without some members: an object from which members are deleted is slow ever after.
  for (const name of Object.keys(row)) if (!replaced.has(name)) shown[name] = row[name];
  shown[source] = row;
  for (const each of changes) Object.assign(shown, readMembers(each, row));
  return shown as unknown as Row;
}

const knownNames = new WeakMap<readonly StepChange[], ReadonlySet<string>>();

/** Names of the fields that changes replace, which are made once. */
function replacedNames(changes: readonly StepChange[]): ReadonlySet<string> {
  let names = knownNames.get(changes);
  if (names === undefined) {
    names = new Set(changes.flatMap(({ near }) => near.map(({ name }) => name)));
    knownNames.set(changes, names);
  }
  return names;
}

/** The members of a change as row values, from a row of the neighbour. */
export function readMembers({ change, near, far }: StepChange, row: Members): Record<string, unknown> {
  const members = change.read(bodyValues(near, row));
  const values: Record<string, unknown> = {};
  for (const field of far) values[field.name] = rowValue(field, members[field.name]);
  return values;
}

/**
 * The fields of the neighbour from the members of a row, unvalidated and as JSON; `undefined` if the row shows what it was made from.
 *
 * @param row of this version
 * @param before the row of the neighbour that is changed
 */
export function writtenFields(each: StepChange, row: Members, before: Members | undefined): Members | undefined {
  const { change, near, far } = each;
  const members = bodyValues(far, row);
  if (before !== undefined && isDeepStrictEqual(members, bodyValues(far, readMembers(each, before)))) return undefined;
  return change.write(members, before === undefined ? undefined : bodyValues(near, before));
}

/** The row of the neighbour that a row of this version stands for, without validation: for code of the developer. */
export function nearRow({ changes }: Step, row: Row): Row {
  const before = sourceOf(row);
  const values = withoutMembers(changes, row);
  for (const each of changes) {
    const written = writtenFields(each, row, before) ?? {};
    for (const field of each.near) {
      values[field.name] = Object.hasOwn(written, field.name) ? rowValue(field, written[field.name]) : before?.[field.name];
    }
  }
  return values as Row;
}

/** The members of a row that are the same in both versions. */
export function withoutMembers(changes: readonly StepChange[], row: Members): Record<string, unknown> {
  const values: Record<string | symbol, unknown> = { ...row };
  delete values[source];
  for (const { far } of changes) for (const { name } of far) delete values[name];
  return values;
}

/** Validated fields of the neighbour. */
export interface ValidFields {
  readonly values: Record<string, unknown>;
  /** Faults, with pointers to members of this version. */
  readonly items: readonly ProblemItem[];
}

/**
 * The fields of the neighbour that a row of this version sets, validated.
 *
 * @param before the row of the neighbour that is changed; without it fields that the change leaves out get their defaults
 */
export async function validFields(each: StepChange, row: Members, before: Members | undefined): Promise<ValidFields> {
  const values: Record<string, unknown> = {};
  const items: ProblemItem[] = [];
  const written = each.isFixed && before !== undefined ? undefined : writtenFields(each, row, before);
  for (const field of each.near) {
    if (field.generator !== undefined) continue;
    const { [field.name]: value } = written ?? {};
    if (before !== undefined && (field.readOnly || written === undefined || !Object.hasOwn(written, field.name))) {
      values[field.name] = before[field.name];
      continue;
    }
    const validation = await field.validate(inputOf(field, value), [field.name]);
    if (validation.ok) values[field.name] = validation.value === undefined ? null : toRowValue(field, validation.value);
    else if (!field.readOnly) items.push(...validation.items.map((item) => placed(each, item)));
  }
  return { values: withUndeclared(new Map(each.near.map((field) => [field.name, field])), before, values), items };
}

/** A fault of a field, at the member that the client sent. */
function placed({ far, near }: StepChange, { pointer: at = "", ...item }: ProblemItem): ProblemItem {
  const name = near.find((field) => at === pointer([field.name]) || at.startsWith(`${pointer([field.name])}/`))?.name;
  const member = far.find((field) => field.name === name) ?? far[0];
  return { ...item, pointer: member === undefined ? "" : pointer([member.name]) };
}

/** A fault of a whole row of the neighbour, at the member that the client sent. */
export function placedIn({ changes }: Step, item: ProblemItem): ProblemItem {
  const root = (item.pointer ?? "").split("/", 2)[1];
  const each = root === undefined ? undefined : changes.find(({ near }) => near.some(({ name }) => pointer([name]) === `/${root}`));
  return each === undefined ? item : placed(each, item);
}

/** The names of this version for fields of the neighbour. */
export function farNames({ changes }: Step, names: readonly string[]): string[] {
  return [...new Set(names.flatMap((name) => farName(changes, name)))];
}

function farName(changes: readonly StepChange[], name: string): readonly string[] {
  const each = changes.find(({ near }) => near.some((field) => field.name === name));
  if (each === undefined) return [name];
  const renamed = Object.entries(each.change.same ?? {}).find(([, from]) => from === name);
  return renamed === undefined ? each.far.slice(0, 1).map((field) => field.name) : [renamed[0]];
}

/** Fields as JSON; without those that have no value. */
export function bodyValues(fields: readonly ResourceField[], row: Members): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = toBodyValue(field, row[field.name]);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
}

function rowValue(field: ResourceField, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  return toRowValue(field, inputOf(field, value));
}
