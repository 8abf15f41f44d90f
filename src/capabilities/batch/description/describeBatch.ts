import { filterCodes, writeCodes } from "../../../engine/description/codes.js";
import { collectionsWith, type DescribeOperation, type DescribeRows, type Describing } from "../../../engine/description/describing.js";
import { accepted, json, jsonOf } from "../../../engine/description/media.js";
import { filterParameters } from "../../../engine/description/parameters/filters.js";
import { prefer } from "../../../engine/description/parameters/headers.js";
import { createExample, idExample, inputExample, updateExample } from "../../../engine/description/schemas/examples.js";
import { bodyIdSchema } from "../../../engine/description/schemas/idSchema.js";
import { inputSchema } from "../../../engine/description/schemas/inputSchema.js";
import { listOf, sent, text, whole } from "../../../engine/description/schemas/object.js";
import { createSchema, rowSchema, updateSchema } from "../../../engine/description/schemas/rowSchemas.js";
import type { DescribedAnswer, JsonSchema, OperationDescription } from "../../../engine/operation/description.js";
import type { DescribedAction, Operation } from "../../../engine/operation/operation.js";
import type { LinkedResource } from "../../../engine/resource/relations/link.js";
import { describeAcceptedJob } from "../../jobs/description/describeAcceptedJob.js";
import { batchResultSchema, dryRunSchema, operationsSchema } from "./batchSchemas.js";

const common = [
  "INVALID_BATCH",
  "EMPTY_BATCH",
  "BATCH_TOO_LARGE",
  "ATOMIC_UNSUPPORTED",
  "TOO_MANY_JOBS",
  "NOT_PROCESSED",
  "QUERY_TIMEOUT",
  "HOOK_TIMEOUT",
];
const preferences = prefer("handling=strict", "handling=lenient", "return=minimal", "return=representation", "respond-async");
const batchHeaders = ["Preference-Applied"];

/** The answers of a batch. */
function results(describing: Describing, bodies: DescribedAnswer["bodies"]): readonly DescribedAnswer[] {
  return [
    { status: 200, text: "Each item succeeded.", headers: batchHeaders, bodies },
    { status: 207, text: "At least one item failed; the others are done.", headers: batchHeaders, bodies },
    { status: 422, text: "An item of an atomic batch failed, so nothing is done.", headers: batchHeaders, bodies },
    describeAcceptedJob(describing, "The batch goes on as a job."),
  ];
}

function resultBodies(describing: Describing, linked: LinkedResource): DescribedAnswer["bodies"] {
  const name = `${describing.names.of(linked.name)}BatchResult`;
  return [jsonOf({ ...batchResultSchema(describing.components, name, { ...rowSchema(describing, linked) }) })];
}

/** @param example of an item */
function itemsOf(describing: Describing, linked: LinkedResource, item: object, example?: unknown): OperationDescription["bodies"] {
  const maxItems = linked.resource.batch?.maxItems ?? describing.environment.limits.batchItems;
  return [jsonOf(sent({ items: { type: "array", minItems: 1, maxItems, items: item } }), example && { items: [example] })];
}

const ifMatch = { ...text, description: "The ETag that the row must have." };

/** What an item may be refused for, as the code of its own problem. */
function itemCodes(describing: Describing, linked: LinkedResource): readonly string[] {
  return [...common, ...writeCodes(describing, linked).filter((code) => code === "FORBIDDEN_FIELD")];
}

/** Batches over all collections, those of one collection, and actions for many rows. */
export const describeBatch: DescribeOperation = (describing, operation, linked) => {
  if (linked === undefined) return operation.name === "batch.create" ? describeMixedBatch(describing, operation) : undefined;
  if (operation.action !== undefined) return undefined;
  const describe = batchDescribers[operation.name.slice(operation.name.lastIndexOf(".") + 1)];
  if (describe !== undefined) return describe(describing, linked, operation);
  const action = operation.access?.action ?? "";
  const single = describing.operations.get(operation.itemName ?? "")?.action;
  return single && describeBatchedAction(describing, linked, action, inputSchema(describing, linked, action, single), single);
};

/** The batches of a collection, by the last part of their names. */
const batchDescribers: Readonly<Record<string, DescribeRows>> = {
  batchCreate: (describing, linked) => ({
    summary: `Create many ${linked.name}`,
    headers: [preferences],
    bodies: itemsOf(describing, linked, createSchema(describing, linked), createExample(describing, linked)),
    answers: results(describing, resultBodies(describing, linked)),
    codes: itemCodes(describing, linked),
  }),
  batchUpdate: (describing, linked) => ({
    summary: `Update many ${linked.name}`,
    headers: [preferences],
    bodies: itemsOf(
      describing,
      linked,
      sent({ id: bodyIdSchema(linked.resource), changes: updateSchema(describing, linked) }, { ifMatch }),
      withId(describing, linked, "changes", updateExample(describing, linked)),
    ),
    answers: results(describing, resultBodies(describing, linked)),
    codes: itemCodes(describing, linked),
  }),
  batchRemove: (describing, linked) => ({
    summary: `Delete many ${linked.name}`,
    headers: [preferences],
    bodies: [removalBody(describing, linked)],
    answers: results(describing, resultBodies(describing, linked)),
    codes: itemCodes(describing, linked),
  }),
  bulkUpdate: (describing, linked) => ({
    summary: `Update the ${linked.name} that match a filter`,
    query: [...byFilter(describing, linked), confirm],
    headers: [prefer("handling=strict", "handling=lenient", "return=minimal", "max-affected=<n>", "respond-async")],
    bodies: [jsonOf({ ...updateSchema(describing, linked) }, updateExample(describing, linked))],
    answers: results(describing, [orDryRun(describing, resultBodies(describing, linked))]),
    codes: [
      ...itemCodes(describing, linked),
      ...filteredCodes,
      "VALIDATION_FAILED",
      "READ_ONLY_FIELD",
      "PRECONDITION_REQUIRED",
      "CONFIRMATION_MISMATCH",
    ],
  }),
  removeMany: (describing, linked) => ({
    summary: `Delete the ${linked.name} that match a filter, or that a body names`,
    query: [...byFilter(describing, linked), confirm],
    headers: [prefer("handling=strict", "handling=lenient", "return=representation", "max-affected=<n>", "respond-async")],
    bodies: [removalBody(describing, linked)],
    answers: results(describing, [orDryRun(describing, resultBodies(describing, linked))]),
    codes: [...itemCodes(describing, linked), ...filteredCodes, "CONFIRMATION_REQUIRED", "CONFIRMATION_MISMATCH", "CONFLICTING_PARAMETERS"],
  }),
};

const confirm = { name: "confirm", text: "The number of rows that match; `true` for any.", schema: { anyOf: [whole, { const: true }] } };
const filteredCodes = [...filterCodes, "FILTER_REQUIRED", "TOO_MANY_AFFECTED"];

function removalBody(describing: Describing, linked: LinkedResource) {
  const id = bodyIdSchema(linked.resource);
  const schema = { oneOf: [sent({ ids: listOf(id) }), sent({ items: listOf(sent({ id }, { ifMatch })) })] };
  return jsonOf(schema, { ids: [idExample(describing, linked)] });
}

/** The example of an item: an id, and a member that is named; `undefined` if the member has no example. */
function withId(describing: Describing, linked: LinkedResource, name: string, example: unknown): object | undefined {
  return example === undefined ? undefined : { id: idExample(describing, linked), [name]: example };
}

function byFilter(describing: Describing, linked: LinkedResource): NonNullable<OperationDescription["query"]> {
  const dryRun = { name: "dryRun", text: "Only says which rows match.", schema: { type: "boolean" } };
  return [...filterParameters(describing, linked), dryRun];
}

function orDryRun({ components }: Describing, bodies: DescribedAnswer["bodies"]) {
  const [result] = bodies ?? [];
  return jsonOf({ anyOf: [result?.schema ?? {}, { ...dryRunSchema(components) }] });
}

/** `POST /orders/cancel`: an action for many rows. */
function describeBatchedAction(
  describing: Describing,
  linked: LinkedResource,
  action: string,
  input: JsonSchema | undefined,
  described: DescribedAction,
): OperationDescription {
  const item = sent({ id: bodyIdSchema(linked.resource) }, { ifMatch, ...(input && { input }) });
  const id = { id: idExample(describing, linked) };
  const example = input === undefined ? id : withId(describing, linked, "input", inputExample(describing, input, described));
  const name = `${describing.names.of(linked.name)}ActionResult`;
  return {
    summary: `Run "${action}" for many ${linked.name}`,
    headers: [preferences],
    bodies: itemsOf(describing, linked, item, example),
    answers: results(describing, [jsonOf({ ...batchResultSchema(describing.components, name, {}) })]),
    codes: itemCodes(describing, linked),
  };
}

/** `POST /batch`. */
function describeMixedBatch(describing: Describing, operation: Operation): OperationDescription {
  const { components } = describing;
  const result = { ...batchResultSchema(components, "BatchResult", {}) };
  const bodies = [jsonOf(result), { mediaType: "multipart/mixed", schema: text }];
  const [listed] = collectionsWith(describing, "list");
  return {
    summary: "Run several operations",
    text: "In order; a later operation may refer to the results of earlier ones.",
    headers: [preferences],
    bodies: accepted(operation, (type) => (type === json ? { ...operationsSchema(components) } : text), {
      [json]: listed && { operations: [{ method: "GET", url: `/${listed}` }] },
    }),
    answers: results(describing, bodies),
    codes: [...common, "MALFORMED_MULTIPART"],
  };
}
