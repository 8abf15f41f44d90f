import { pointer } from "../../../ground/http/pointer.js";
import type { ProblemItem } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import { idIn, isUnusablePart } from "../../../ground/storage/compositeId.js";
import type { Context } from "../../operation/context.js";
import { withNamedFields } from "../../operation/write/writeMarks.js";
import { wholeProblems } from "../define/wholeProblems.js";
import { isMade } from "../generators.js";
import type { Resource } from "../resource.js";
import { refuseProblems } from "./members.js";
import { generate, stamp, toInput, toRowValue, withUndeclared } from "./rowValues.js";

/** The parts of a complete row. */
export interface RowParts {
  /** Members from the client. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Faults of the other members. */
  readonly problems: readonly ProblemItem[];
  /** Values of the replaced row, for members that the client did not or could not send. */
  readonly kept?: Readonly<Record<string, unknown>> | undefined;
  /** The row that is replaced. A new one gets all stamps. */
  readonly replaced?: Row | undefined;
}

/**
 * Validates a complete row from the members that a client sent.
 *
 * @throws {ProblemError} VALIDATION_FAILED with all faults
 */
export async function validatedRow(resource: Resource, context: Context, { input, problems, kept = {}, replaced }: RowParts): Promise<Row> {
  const isNew = replaced === undefined;
  const validated = resource.validateWrite(toInput(resource, input));
  const validation = validated instanceof Promise ? await validated : validated;
  const items = validation.ok ? [] : validation.items.filter((item) => !isKept(item, kept));
  const valid = validation.ok ? (validation.value as Readonly<Record<string, unknown>>) : undefined;
  refuseProblems([...problems, ...items, ...unusableIds(resource, context, valid ?? input, isNew)]);
  const value = valid ?? (await valueBesideKept(resource, input, kept));
  const { environment } = context;
  const now = new Date(environment.clock.now());
  const row: Record<string, unknown> = generate(resource, environment, now);
  for (const field of resource.fields.values()) {
    const member = value[field.name];
    if (member !== undefined) row[field.name] = toRowValue(field, member);
    else if ((field.readOnly || field.generator === "code") && field.hasDefault) row[field.name] = toRowValue(field, await defaultOf(field));
  }
  const stamps = context.scopes?.stamps(resource.name, isNew ? "create" : "update");
  const complete = Object.assign(withUndeclared(resource.fields, replaced, row), kept, stamps, stamp(environment, now));
  // The database makes the parts that are missing.
  const id = idIn(row, resource.idNames);
  if (id !== undefined) row[resource.id.name] = id;
  if (resource.validateWhole !== undefined) refuseProblems(await wholeProblems(resource, complete));
  return withNamedFields(environment, resource.name, complete, Object.keys(input));
}

type Field = Resource["id"];

async function defaultOf(field: Field): Promise<unknown> {
  const validation = await field.validate(undefined);
  return validation.ok ? validation.value : undefined;
}

/** A required field with a kept value need not be sent. */
function isKept({ pointer: where = "" }: ProblemItem, kept: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(kept).some((name) => where === pointer([name]));
}

/** Validates field by field, if the whole was refused only because kept values are missing. */
async function valueBesideKept(
  resource: Resource,
  input: Readonly<Record<string, unknown>>,
  kept: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const value: Record<string, unknown> = {};
  const members = toInput(resource, input);
  for (const field of resource.fields.values()) {
    if (isMade(field) || Object.hasOwn(kept, field.name)) continue;
    const validation = await field.validate(members[field.name], [field.name]);
    if (validation.ok) value[field.name] = validation.value;
    else refuseProblems(validation.items);
  }
  return value;
}

/**
 * The faults of an id that no path can contain, or whose path is that of something else: its row could never be read. Empty if the id is valid.
 *
 * @param isNew a row that exists may have the name of a path that came later
 */
export function unusableIds(
  { name: collection, idNames }: Resource,
  { environment }: Context,
  members: Readonly<Record<string, unknown>>,
  isNew = true,
): ProblemItem[] {
  const taken = environment.fixedSegments(collection);
  return idNames.flatMap((name) => {
    const part = members[name];
    if (isUnusablePart(part)) return { code: "INVALID_VALUE", detail: "Must be usable as a path segment.", pointer: pointer([name]) };
    // The text of a composite id has a comma.
    if (!isNew || idNames.length > 1 || !taken.has(part as string)) return [];
    return {
      code: "INVALID_VALUE",
      detail: `Must not be a word that has a path of its own: ${[...taken.keys()].join(", ")}.`,
      pointer: pointer([name]),
    };
  });
}
