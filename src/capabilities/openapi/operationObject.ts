import type { Describing } from "../../engine/description/describing.js";
import { idempotencyKey } from "../../engine/description/parameters/headers.js";
import { pascalCase } from "../../engine/description/schemaNames.js";
import type { DescribedBody, DescribedParameter, OperationDescription } from "../../engine/operation/description.js";
import { type Operation, takesKey } from "../../engine/operation/operation.js";
import { collectionOf, type Documented, type Entry, tagOf } from "./documented.js";
import { parameterOf } from "./paths.js";
import { pipelineCodes } from "./pipelineCodes.js";
import type { Problems } from "./problems.js";
import { alsoAs, contentOf, responsesOf, schemaName } from "./responses.js";
import { securityOf } from "./security.js";

/** A document while it is written. */
export interface Writing {
  readonly documented: Documented;
  readonly describing: Describing;
  readonly problems: Problems;
}

/** An operation as it stands in the document. */
export function operationObject(writing: Writing, entry: Entry, description: OperationDescription): object {
  const { documented, describing } = writing;
  const { operation } = entry;
  const { summary, text, bodies = [], deprecated } = description;
  const parameters = parametersOf(describing, operation, description);
  const { responses, codes } = answersOf(writing, entry, description);
  return {
    operationId: operation.name,
    tags: [tagOf(documented, entry)],
    summary,
    ...(text !== undefined && { description: text }),
    ...(deprecated && { deprecated }),
    ...(parameters.length > 0 && { parameters }),
    ...(bodies.length > 0 && { requestBody: bodyOf(writing, operation, description) }),
    responses,
    ...(codes.length > 0 && { "x-problem-codes": codes }),
    security: securityOf(documented.environment, operation),
  };
}

function parametersOf(describing: Describing, operation: Operation, { query = [], headers = [] }: OperationDescription): readonly object[] {
  const hasKey = describing.takesKeys && takesKey(operation);
  const requestHeaders = [...headers, ...(hasKey ? [idempotencyKey(operation.requiresKey === true)] : [])];
  return [
    ...query.map((each) => sharedParameter(describing, "query", each)),
    ...requestHeaders.map((each) => sharedParameter(describing, "header", each)),
  ];
}

function answersOf({ documented: { added }, describing, problems }: Writing, { route, operation }: Entry, description: OperationDescription) {
  return responsesOf(describing, {
    operation,
    description,
    problems,
    pipeline: [...pipelineCodes(describing, route, operation), ...added.flatMap((each) => each.codes ?? [])],
    added,
    limitedStatus: route.limited?.status,
    hasOwnRules: hasOwnRules(describing, operation),
  });
}

function bodyOf({ documented: { added }, describing }: Writing, operation: Operation, description: OperationDescription): object {
  const { body } = operation;
  const { bodies = [], isBodyRequired } = description;
  // A patch has media types of its own, and so has a file.
  const taken = alsoAs(describing, bodies, added).filter((each) => bodies.includes(each) || body?.accepts(each.mediaType));
  const content = Object.fromEntries(taken.map((each) => [each.mediaType, contentOf(describing, each)]));
  const required = isBodyRequired ?? (body !== undefined && body.optional !== true);
  return describing.components.shared("requestBodies", bodyName(operation, bodies), { required, content });
}

/** Bodies that several operations have are called after their schema, or else after what the operations do. */
function bodyName({ name }: Operation, bodies: readonly DescribedBody[]): string {
  return `${schemaName(bodies) || pascalCase(name.slice(name.lastIndexOf(".") + 1))}Body`;
}

/** Whether hooks, scopes or effects of the developer may refuse a request with a code of their own. */
function hasOwnRules(describing: Describing, operation: Operation): boolean {
  const options = collectionOf(describing, operation)?.resource.options;
  return takesKey(operation) && options !== undefined && ("hooks" in options || "create" in options);
}

/** Request headers that all operations have. */
export function addedHeaders({ describing, documented: { added } }: Writing): readonly object[] {
  return added.flatMap(({ headers = [] }) => headers.map((each) => sharedParameter(describing, "header", each)));
}

/** Parameters that several operations have alike are shared. */
function sharedParameter({ components }: Describing, place: "query" | "header", parameter: DescribedParameter): object {
  const made = components.once(parameter, place, () => parameterOf(place, parameter));
  return components.shared("parameters", `${place === "header" ? "Header" : "Query"}.${parameter.name.replace(/[^A-Za-z0-9._-]/g, "-")}`, made);
}
