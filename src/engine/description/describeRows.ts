import { singular } from "../../language/schema/singular.js";
import type { DescribedAnswer } from "../operation/description.js";
import type { Operation } from "../operation/operation.js";
import type { LinkedResource } from "../resource/relations/link.js";
import { conditionCodes, listCodes, refusalsOf, selectionCodes, writeCodes } from "./codes.js";
import type { DescribeOperation, DescribeRows, Describing } from "./describing.js";
import { accepted, json, negotiated } from "./media.js";
import { datedReadConditions, prefer, readConditions, writeConditions } from "./parameters/headers.js";
import { listParameters, selectionParameters } from "./parameters/list.js";
import { createExample, jsonPatchExample, replaceExample, updateExample } from "./schemas/examples.js";
import { jsonPatch } from "./schemas/jsonPatch.js";
import { createSchema, type GivenKey, listedSchema, listSchema, replaceSchema, rowSchema, updateSchema } from "./schemas/rowSchemas.js";
import { searchSchema } from "./schemas/searchSchema.js";

const validators = ["ETag", "Last-Modified"];
const listHeaders = ["ETag", "Link", "X-Total-Count"];
const minimal = "return=minimal";
const jsonPatchType = "application/json-patch+json";

/** The operations of collections on their rows. */
export const describeRows: DescribeOperation = (describing, operation, linked) =>
  linked && rowDescribers[operation.name.slice(operation.name.lastIndexOf(".") + 1)]?.(describing, linked, operation);

/** By the last part of their names. */
const rowDescribers: Readonly<Record<string, DescribeRows>> = {
  list: (describing, linked, operation) => ({
    summary: `List ${linked.name}`,
    query: listParameters(describing, linked),
    headers: readConditions,
    answers: [
      {
        status: 200,
        text: "A page of the list.",
        headers: listHeaders,
        bodies: pageBodies(describing, linked, operation),
        links: nextPage(operation),
      },
      { status: 304, text: "The page has not changed.", headers: listHeaders },
    ],
    codes: [...listCodes, ...conditionCodes, ...hiddenCodes(operation)],
  }),

  query: (describing, linked, operation) => ({
    summary: `Search ${linked.name}`,
    text: "The list, with its query in the body.",
    bodies: accepted(operation, () => searchSchema(describing), { [json]: { perPage: 10 } }),
    answers: [{ status: 200, text: "A page of the list.", headers: ["X-Total-Count"], bodies: pageBodies(describing, linked, operation) }],
    codes: [...listCodes, ...hiddenCodes(operation)],
  }),

  create: (describing, linked, operation) => ({
    summary: `Create ${one(linked.name)}`,
    headers: [prefer(minimal), { name: "If-None-Match", text: "`*`: 412 if the id is taken.", schema: { type: "string" } }],
    bodies: accepted(operation, () => ({ ...createSchema(describing, linked, keyInPath(describing, operation)) }), {
      [json]: createExample(describing, linked, keyInPath(describing, operation)),
    }),
    answers: [created(describing, linked, operation)],
    ownProblems: refusalsOf(linked),
    codes: [...writeCodes(describing, linked), "CONFLICT", ...conditionCodes, ...hiddenCodes(operation)],
  }),

  read: (describing, linked, operation) => ({
    summary: `Read ${one(linked.name)}`,
    query: selectionParameters(describing, linked),
    headers: datedReadConditions,
    answers: [
      { status: 200, text: "The row.", headers: validators, bodies: negotiated(operation, { ...rowSchema(describing, linked) }) },
      { status: 304, text: "The row has not changed.", headers: validators },
    ],
    codes: ["NOT_FOUND", ...selectionCodes, ...conditionCodes],
  }),

  replace: (describing, linked, operation) => ({
    summary: `Replace ${one(linked.name)}`,
    headers: [prefer(minimal), ...writeConditions(linked.resource.requireIfMatch)],
    bodies: accepted(operation, () => ({ ...replaceSchema(describing, linked, keyInPath(describing, operation)) }), {
      [json]: replaceExample(describing, linked, keyInPath(describing, operation)),
    }),
    answers: [...(linked.resource.clientIds ? [created(describing, linked, operation)] : []), ...changed(describing, linked, operation)],
    ownProblems: refusalsOf(linked),
    codes: [
      ...writeCodes(describing, linked),
      ...changeCodes(linked),
      ...(linked.resource.requireIdempotencyKey ? ["IDEMPOTENCY_KEY_REQUIRED"] : []),
    ],
  }),

  update: (describing, linked, operation) => ({
    summary: `Update ${one(linked.name)}`,
    text: "Changes the members that the body names. Null removes a value.",
    headers: [prefer(minimal), ...writeConditions(linked.resource.requireIfMatch)],
    bodies: accepted(operation, (type) => (type === jsonPatchType ? jsonPatch(describing.components) : { ...updateSchema(describing, linked) }), {
      "application/merge-patch+json": updateExample(describing, linked),
      [jsonPatchType]: jsonPatchExample(describing, linked),
    }),
    answers: changed(describing, linked, operation),
    ownProblems: refusalsOf(linked),
    codes: [...writeCodes(describing, linked), ...changeCodes(linked), "PATCH_MALFORMED", "PATCH_CONFLICT"],
  }),

  remove: (describing, linked) => ({
    summary: `Delete ${one(linked.name)}`,
    headers: [prefer("return=representation"), ...writeConditions(linked.resource.requireIfMatch)],
    answers: [
      { status: 204, text: "The row is deleted." },
      {
        status: 200,
        text: "The deleted row, with `Prefer: return=representation`.",
        headers: ["Preference-Applied"],
        bodies: [{ mediaType: "application/json", schema: { ...rowSchema(describing, linked) } }],
      },
    ],
    ownProblems: refusalsOf(linked),
    codes: [...changeCodes(linked), "OUT_OF_SCOPE", "ROW_IN_USE", "WRITE_CONFLICT", "REFUSED_BY_DATABASE", "HOOK_TIMEOUT"],
  }),
};

/** A row of a collection in a sentence: `an order`. */
export function one(collection: string): string {
  const noun = singular(collection);
  return `${/^[aeiou]/i.test(noun) && !/^(?:us|uni)/i.test(noun) ? "an" : "a"} ${noun}`;
}

/** A list below a row of a parent is 404 if there is no such row. */
function hiddenCodes({ name }: Operation): readonly string[] {
  return name.split(".").length > 2 ? ["NOT_FOUND"] : [];
}

function changeCodes({ resource }: LinkedResource): readonly string[] {
  return ["NOT_FOUND", ...conditionCodes, ...(resource.requireIfMatch ? ["PRECONDITION_REQUIRED"] : [])];
}

function pageBodies(describing: Describing, linked: LinkedResource, operation: Operation): DescribedAnswer["bodies"] {
  return negotiated(operation, { ...listSchema(describing, linked) }, { ...listedSchema(describing, linked) });
}

function nextPage({ name }: Operation): DescribedAnswer["links"] {
  return { next: { operation: name, parameters: { cursor: "$response.body#/meta/nextCursor" } } };
}

function created(describing: Describing, linked: LinkedResource, operation: Operation): DescribedAnswer {
  const { resource, name } = linked;
  const links =
    resource.operations.has("read") && resource.idNames.length === 1
      ? { read: { operation: `${name}.read`, parameters: { id: `$response.body#/${resource.id.name}` } } }
      : undefined;
  return {
    status: 201,
    text: "The row is created. Without a body with `Prefer: return=minimal`, and if the caller may not read it.",
    headers: ["Location", "Preference-Applied", ...validators],
    bodies: negotiated(operation, { ...rowSchema(describing, linked) }),
    links,
  };
}

function changed(describing: Describing, linked: LinkedResource, operation: Operation): readonly DescribedAnswer[] {
  return [
    {
      status: 200,
      text: "The row as it is now.",
      headers: ["Preference-Applied", ...validators],
      bodies: negotiated(operation, { ...rowSchema(describing, linked) }),
    },
    {
      status: 204,
      text: "Changed, with `Prefer: return=minimal`, or if the caller may not read the row any more.",
      headers: ["Preference-Applied", ...validators],
    },
  ];
}

/** The foreign key of rows below another row: of `authors.books.create` that to authors. */
export function keyInPath({ resources }: Describing, { name }: Operation): GivenKey | undefined {
  const [parent = "", relation = "", isBelow] = name.split(".");
  const key = isBelow === undefined ? undefined : resources.get(parent)?.relations.get(relation)?.key;
  return key && { parent, key };
}
