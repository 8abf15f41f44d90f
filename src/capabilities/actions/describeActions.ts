import { conditionCodes, refusalsOf, selectionCodes, writeCodes } from "../../engine/description/codes.js";
import { one } from "../../engine/description/describeRows.js";
import type { DescribeOperation, Describing } from "../../engine/description/describing.js";
import { jsonOf } from "../../engine/description/media.js";
import { datedReadConditions, prefer, writeConditions } from "../../engine/description/parameters/headers.js";
import { pascalCase } from "../../engine/description/schemaNames.js";
import { inputExample } from "../../engine/description/schemas/examples.js";
import { typeSchema } from "../../engine/description/schemas/fieldSchema.js";
import { inputSchema } from "../../engine/description/schemas/inputSchema.js";
import { rowSchema } from "../../engine/description/schemas/rowSchemas.js";
import type { DescribedParameter, JsonSchema, OperationDescription } from "../../engine/operation/description.js";
import type { DescribedAction, Operation } from "../../engine/operation/operation.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import type { FieldModel } from "../../language/schema/field.js";

const validators = ["ETag", "Last-Modified", "Preference-Applied"];

/** The actions of the developer. */
export const describeActions: DescribeOperation = (describing, operation, linked) =>
  linked && operation.action && describeAction(describing, linked, operation, operation.action);

function describeAction(describing: Describing, linked: LinkedResource, operation: Operation, action: DescribedAction): OperationDescription {
  const name = operation.access?.action ?? operation.name;
  const isRead = operation.method === "GET";
  const isOnRow = action.on === "row";
  const bodies = [jsonOf(answerSchema(describing, linked, name, action))];
  const body = isRead ? undefined : inputSchema(describing, linked, name, action);
  return {
    summary: summaryOf(name, isRead, isOnRow ? one(linked.name) : linked.name),
    query: isRead ? inputParameters(describing, action) : [],
    headers: isOnRow ? (isRead ? datedReadConditions : [prefer("return=minimal"), ...writeConditions(linked.resource.requireIfMatch)]) : [],
    bodies: body && [jsonOf(body, inputExample(describing, body, action))],
    isBodyRequired: action.members.some(isRequired),
    answers: [
      { status: 200, text: isOnRow ? "The row as it is now, or what the action answers." : "What the action answers.", headers: validators, bodies },
      { status: 204, text: "Done, without a body.", headers: validators },
      { status: "2XX", text: "What the action answers.", headers: validators, bodies },
    ],
    ownProblems: {
      ...refusalsOf(linked),
      ...(isList(action.problems) ? Object.fromEntries(action.problems.map((code) => [code, undefined])) : action.problems),
    },
    codes: [
      ...(isRead ? selectionCodes : ["VALIDATION_FAILED", ...writeCodes(describing, linked)]),
      ...(isOnRow ? ["NOT_FOUND", ...conditionCodes, "OUT_OF_SCOPE", ...(linked.resource.requireIfMatch ? ["PRECONDITION_REQUIRED"] : [])] : []),
      "HOOK_TIMEOUT",
      "FORBIDDEN",
    ],
  };
}

/** `Cancel an order`, `Read statistics of orders`. An action of several words is named, as its words do not say where the row belongs between them. */
function summaryOf(name: string, isRead: boolean, target: string): string {
  if (!/^[a-z]+$/.test(name)) return `Run "${name}" for ${target}`;
  return isRead ? `Read ${name} of ${target}` : `${pascalCase(name)} ${target}`;
}

function inputParameters({ components }: Describing, { members }: DescribedAction): readonly DescribedParameter[] {
  return members.map((member) => ({
    name: member.name,
    required: isRequired(member),
    schema: typeSchema(member.schema, "input", components, pascalCase(member.name)),
  }));
}

function isRequired({ optional, hasDefault }: FieldModel): boolean {
  return !optional && !hasDefault;
}

/** An action on a row answers the row, unless it responds with a value of its own. */
function answerSchema(describing: Describing, linked: LinkedResource, name: string, { on, output }: DescribedAction): JsonSchema {
  const component = `${describing.names.of(linked.name)}${pascalCase(name)}Answer`;
  const value = output && {
    ...describing.components.own(component, () => typeSchema(output, "output", describing.components, component)),
  };
  if (on === "collection") return value ?? {};
  const row = { ...rowSchema(describing, linked) };
  return value === undefined ? {} : { anyOf: [row, value] };
}

function isList(problems: DescribedAction["problems"]): problems is readonly string[] {
  return Array.isArray(problems);
}
