import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import type { ProblemItem } from "../../../ground/problem/index.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { FieldModel } from "../../../language/schema/field.js";
import type { Context } from "../../operation/context.js";
import type { Resource } from "../resource.js";
import { refuseProblems, writableMembers } from "./members.js";
import { patchedValues } from "./patchedValues.js";

/** Faults that depend on the row, because something is missing or present in it. */
const ofRows: ReadonlySet<string> = new Set(["READ_ONLY_FIELD", "FORBIDDEN_FIELD"]);

/**
 * Refuses a merge patch that is invalid for every row: unknown members, and values that their fields never have.
 *
 * @throws {ProblemError} VALIDATION_FAILED
 */
export async function refuseImpossiblePatch(resource: Resource, context: Context, patch: Readonly<Record<string, unknown>>): Promise<void> {
  // A row may have exactly the values of the patch, or none.
  const { input, problems } = writableMembers(resource, patch, context, context.permit, patch as Row);
  const given = Object.entries(input).flatMap(([name, value]) =>
    holdsMembers(resource.fields.get(name)) ? leavesOf(value, [name]) : [pointer([name])],
  );
  const { problems: values } = await patchedValues(resource, {} as Row, input, false);
  refuseProblems([...problems.filter(({ code }) => !ofRows.has(code)), ...values.filter((problem) => isGiven(problem, given))]);
}

/** Whether a row may have members of the field that the patch does not name. */
function holdsMembers(field: FieldModel | undefined): boolean {
  return field?.kind !== "array" && (field?.children ?? field?.element ?? field?.members) !== undefined;
}

/** Pointers to the values of a patch. Other members of an object come from the row. */
function leavesOf(value: unknown, path: readonly string[]): readonly string[] {
  if (!isObject(value)) return [pointer(path)];
  return Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

function isGiven({ pointer: place = "" }: ProblemItem, given: readonly string[]): boolean {
  return given.some((leaf) => place === leaf || place.startsWith(`${leaf}/`));
}
