import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import type { ProblemItem } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import { mergePatch, removedPaths } from "../../../language/patch/mergePatch.js";
import type { FieldModel } from "../../../language/schema/field.js";
import { partOf, whole } from "../../../language/schema/walk.js";
import { wholeProblems } from "../define/wholeProblems.js";
import type { Resource, ResourceField, Validation } from "../resource.js";
import { inputOf, toBodyValue, toRowValue, withUndeclared } from "./rowValues.js";

/** The validated columns that a merge patch sets. */
export interface PatchedValues {
  readonly values: Record<string, unknown>;
  readonly problems: readonly ProblemItem[];
}

/**
 * Applies a merge patch to a row, field by field: members that the patch does not name are neither validated nor written again.
 * If the schema has refinements over the whole object, the whole result is validated too.
 *
 * @param validatesWhole `false` where the row is not known
 */
export async function patchedValues(
  resource: Resource,
  row: Row,
  patch: Readonly<Record<string, unknown>>,
  validatesWhole = true,
): Promise<PatchedValues> {
  const values: Record<string, unknown> = {};
  const problems: ProblemItem[] = [];
  for (const [name, change] of Object.entries(patch)) {
    const field = resource.fields.get(name);
    if (field === undefined) continue;
    const validated = patchedField(field, row[name], change);
    const validation = validated instanceof Promise ? await validated : validated;
    if (validation.ok) values[name] = validation.value === undefined ? null : toRowValue(field, validation.value);
    else problems.push(...validation.items);
  }
  if (validatesWhole && resource.validateWhole !== undefined && problems.length === 0)
    problems.push(...(await wholeProblems(resource, { ...row, ...values })));
  return { values: withUndeclared(resource.fields, row, values), problems };
}

function patchedField(field: ResourceField, stored: unknown, change: unknown): Validation | Promise<Validation> {
  if (change === null) return removedField(field);
  const known = isObject(stored) ? toBodyValue(field, stored) : undefined;
  const current = isObject(known) ? known : undefined;
  const merged = restoreNulls(field, mergePatch(current, change), removedPaths(change));
  return field.validate(inputOf(field, merged), [field.name]);
}

/** A removed member becomes null if it is nullable, absent if optional, its default if it has one; otherwise this is a fault. */
export function removedField(field: ResourceField): Validation | Promise<Validation> {
  if (field.nullable) return { ok: true, value: null };
  if (field.optional || field.hasDefault) return field.validate(undefined, [field.name]);
  return { ok: false, items: [{ code: "INVALID_VALUE", detail: `"${field.name}" cannot be removed.`, pointer: pointer([field.name]) }] };
}

/** Members below the field that the patch removed; a nullable one stays as null. */
export function restoreNulls(field: FieldModel, merged: unknown, paths: readonly (readonly string[])[]): unknown {
  for (const path of paths) {
    const last = path.at(-1);
    const parent = path.slice(0, -1).reduce<TypedValue | undefined>(descend, { models: [field], value: merged });
    if (last === undefined || parent === undefined || !isObject(parent.value)) continue;
    if (partsAt(parent.models, last).some((model) => model.nullable || whole(model).nullable)) parent.value[last] = null;
  }
  return merged;
}

interface TypedValue {
  /** The types that the value may have: those of all alternatives of a union, as it may be complete only with its nulls. */
  readonly models: readonly FieldModel[];
  readonly value: unknown;
}

function descend(typed: TypedValue | undefined, step: string): TypedValue | undefined {
  if (typed === undefined || !isObject(typed.value)) return undefined;
  const models = partsAt(typed.models, step);
  return models.length === 0 ? undefined : { models, value: typed.value[step] };
}

function partsAt(models: readonly FieldModel[], step: string): readonly FieldModel[] {
  return models.map(whole).flatMap((model) => (model.members === undefined ? (partOf(model, step) ?? []) : partsAt(model.members, step)));
}
