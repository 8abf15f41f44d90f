import { whenReady } from "../../../ground/http/whenReady.js";
import type { Row } from "../../../ground/storage/collection.js";
import { idIn } from "../../../ground/storage/compositeId.js";
import type { Context } from "../../operation/context.js";
import { withNamedFields } from "../../operation/write/writeMarks.js";
import type { Resource, ResourceField, Validation } from "../resource.js";
import { refuseProblems, type WritableMembers } from "./members.js";
import { generate, toInput, toRowValue } from "./rowValues.js";
import { unusableIds, validatedRow } from "./validatedRow.js";

/** What rows of a resource need besides the validated values. */
interface NewRowPlan {
  readonly resource: Resource;
  /** The fields whose values are of other types in rows. */
  readonly converted: readonly ResourceField[];
  /** The resource with its generated fields only. */
  readonly generating: Resource;
  /** Whether all of it can be made without waiting, in one step. */
  readonly isPlain: boolean;
}

const plans = new WeakMap<Resource, NewRowPlan>();

function planOf(resource: Resource): NewRowPlan {
  const known = plans.get(resource);
  if (known !== undefined) return known;
  const fields = [...resource.fields.values()];
  const generated = fields.filter(({ generator }) => generator !== undefined);
  const plan = {
    resource,
    converted: fields.filter(({ toRow }) => toRow !== undefined),
    generating: { ...resource, fields: new Map(generated.map((field) => [field.name, field])) },
    isPlain:
      resource.validateWhole === undefined && !fields.some(({ readOnly, generator, hasDefault }) => (readOnly || generator === "code") && hasDefault),
  };
  plans.set(resource, plan);
  return plan;
}

/**
 * Makes a new row as {@link validatedRow} does, but at once if nothing has to be awaited: a file or a batch has many rows, and three promises a row cost as much as its validation.
 *
 * @param now the instant of its write
 * @throws {ProblemError} VALIDATION_FAILED with all faults; before it returns a promise, or by rejecting it
 */
export function newRow(resource: Resource, context: Context, members: WritableMembers, now: Date): Row | Promise<Row> {
  const plan = planOf(resource);
  if (!plan.isPlain) return validatedRow(resource, context, members);
  const validation = resource.validateWrite(toInput(resource, members.input));
  return whenReady(validation, (validated) => completeRow(plan, context, members, validated, now));
}

function completeRow(
  { resource, converted, generating }: NewRowPlan,
  context: Context,
  { input, problems }: WritableMembers,
  validation: Validation,
  now: Date,
): Row {
  const { environment, scopes } = context;
  const value = validation.ok ? (validation.value as Readonly<Record<string, unknown>>) : input;
  refuseProblems([...problems, ...(validation.ok ? [] : validation.items), ...unusableIds(resource, context, value)]);
  // An object that begins with these members gets the others at once; to add them one by one costs four times as much, and to add to a copy thirty times.
  const row: Record<string, unknown> = { _version: environment.ids.ulid(), _updatedAt: now };
  Object.assign(row, generate(generating, environment, now), value, scopes?.stamps(resource.name, "create"));
  for (const name in row) if (row[name] === undefined) delete row[name];
  for (const field of converted) if (Object.hasOwn(row, field.name)) row[field.name] = toRowValue(field, row[field.name]);
  const id = idIn(row, resource.idNames);
  if (id !== undefined) row[resource.id.name] = id;
  return withNamedFields(environment, resource.name, row as Row, environment.hooks === undefined ? [] : Object.keys(input));
}
