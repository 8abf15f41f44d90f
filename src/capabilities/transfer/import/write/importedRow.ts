import type { Context } from "../../../../engine/operation/context.js";
import type { Permit } from "../../../../engine/operation/permit.js";
import type { Resource, ResourceField } from "../../../../engine/resource/resource.js";
import { refuseProblems, type WritableMembers, writableMembers } from "../../../../engine/resource/write/members.js";
import { newRow } from "../../../../engine/resource/write/newRow.js";
import { inputOf, toRowValue } from "../../../../engine/resource/write/rowValues.js";
import { unknownMember } from "../../../../engine/resource/write/unknownMembers.js";
import { unusableIds, validatedRow } from "../../../../engine/resource/write/validatedRow.js";
import { pointer } from "../../../../ground/http/pointer.js";
import type { ProblemItem } from "../../../../ground/problem/index.js";
import type { Row } from "../../../../ground/storage/collection.js";
import { gateFor } from "../../../../language/schema/access.js";
import { noMembers, type RowMembers } from "../columns/members.js";

/**
 * Makes a new row from the members of a file's row.
 *
 * @param nowMs the instant of its write
 * @throws {ProblemError} VALIDATION_FAILED, FORBIDDEN_FIELD, with all faults; before it returns a promise, or by rejecting it
 */
export function importedRow(
  resource: Resource,
  context: Context,
  { members, generated }: RowMembers,
  allowed: Permit,
  nowMs = context.environment.clock.now(),
): Row | Promise<Row> {
  const writable = writableMembers(resource, members, context, allowed);
  // Few files have values of generated fields, and every promise of a row counts.
  if (generated === noMembers) return newRow(resource, context, writable, new Date(nowMs));
  return withGenerated(resource, context, writable, generated, allowed);
}

async function withGenerated(
  resource: Resource,
  context: Context,
  { input, problems }: WritableMembers,
  generated: Readonly<Record<string, unknown>>,
  allowed: Permit,
): Promise<Row> {
  const read = await readGenerated(resource, context, allowed, generated);
  const ofId = unusableIds(resource, context, read.kept);
  return validatedRow(resource, context, { input, problems: [...problems, ...read.problems, ...ofId], kept: read.kept });
}

/**
 * The values of generated fields that a file has for an existing row. They replace the values that would be generated.
 *
 * @throws {ProblemError} VALIDATION_FAILED, FORBIDDEN_FIELD, with all faults
 */
export async function generatedValues(
  resource: Resource,
  context: Context,
  allowed: Permit,
  generated: Readonly<Record<string, unknown>>,
  current: Row,
): Promise<Readonly<Record<string, unknown>>> {
  const { kept, problems } = await readGenerated(resource, context, allowed, generated);
  for (const name of resource.idNames) {
    if (kept[name] !== undefined && kept[name] !== current[name]) problems.push(otherId(name));
    delete kept[name];
  }
  refuseProblems(problems);
  return kept;
}

async function readGenerated(resource: Resource, { principal }: Context, { fields }: Permit, generated: Readonly<Record<string, unknown>>) {
  const gate = gateFor(principal, fields);
  const kept: Record<string, unknown> = {};
  const problems: ProblemItem[] = [];
  for (const [name, value] of Object.entries(generated)) {
    const field = resource.fields.get(name);
    if (field === undefined) continue;
    const access = gate(field, "write");
    if (access !== "allowed") {
      problems.push(access === "hidden" ? unknownMember([name], []) : forbidden(field));
      continue;
    }
    const validation = await validateField(field, value);
    if (validation.ok) kept[name] = toRowValue(field, validation.value);
    else problems.push(...validation.items);
  }
  return { kept, problems };
}

function otherId(name: string): ProblemItem {
  return { code: "READ_ONLY_FIELD", detail: `"${name}" names the resource and cannot be changed.`, pointer: pointer([name]) };
}

function forbidden({ name }: ResourceField): ProblemItem {
  return { code: "FORBIDDEN_FIELD", detail: `Not allowed to write "${name}".`, pointer: pointer([name]) };
}

/**
 * The value of the key as rows store it.
 *
 * @throws {ProblemError} VALIDATION_FAILED
 */
export async function keyValue(field: ResourceField, value: unknown): Promise<unknown> {
  const validation = await validateField(field, value);
  if (!validation.ok) refuseProblems(validation.items);
  return validation.ok ? toRowValue(field, validation.value) : undefined;
}

function validateField(field: ResourceField, value: unknown) {
  return field.validate(inputOf(field, value), [field.name]);
}
