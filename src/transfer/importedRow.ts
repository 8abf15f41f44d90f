import type { Context } from "../operation/context.js";
import type { Permit } from "../operation/permit.js";
import type { ProblemItem } from "../problem/index.js";
import { refuseProblems, writableMembers } from "../resource/members.js";
import type { Resource, ResourceField } from "../resource/resource.js";
import { toRowValue } from "../resource/rowValues.js";
import { validatedRow } from "../resource/validatedRow.js";
import type { Row } from "../storage/collection.js";
import type { RowMembers } from "./members.js";

/**
 * A complete row of what a file says of it.
 *
 * @throws {ProblemError} VALIDATION_FAILED, FORBIDDEN_FIELD, with all that is wrong
 */
export async function importedRow(resource: Resource, context: Context, { members, generated }: RowMembers, allowed: Permit): Promise<Row> {
  const { input, problems } = writableMembers(resource, members, context, allowed);
  const kept = await generatedValues(resource, generated, problems);
  return validatedRow(resource, context, { input, problems, kept });
}

/** Values of generated fields that the file brings, which win over those that would be generated. */
export async function generatedValues(
  resource: Resource,
  generated: Readonly<Record<string, unknown>>,
  problems: ProblemItem[],
): Promise<Readonly<Record<string, unknown>>> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(generated)) {
    const field = resource.fields.get(name);
    if (field === undefined) continue;
    const validation = await validateField(field, value);
    if (validation.ok) kept[name] = toRowValue(field, validation.value);
    else problems.push(...validation.items);
  }
  return kept;
}

/**
 * What a row keeps of the value of its key.
 *
 * @throws {ProblemError} VALIDATION_FAILED
 */
export async function keyValue(field: ResourceField, value: unknown): Promise<unknown> {
  const validation = await validateField(field, value);
  if (!validation.ok) refuseProblems(validation.items);
  return validation.ok ? toRowValue(field, validation.value) : undefined;
}

function validateField(field: ResourceField, value: unknown) {
  return field.validate(field.toInput === undefined ? value : field.toInput(value), [field.name]);
}
