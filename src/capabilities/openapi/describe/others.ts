import type { OperationDescription } from "../../../engine/operation/description.js";
import type { Operation } from "../../../engine/operation/operation.js";
import { collectionsWith, type Describing } from "../describing.js";
import { answered, arrayOf } from "../schemas/object.js";
import { namedSearchSchema } from "../schemas/searchSchema.js";
import { describeMixedBatch } from "./batches.js";
import { listCodes } from "./codes.js";
import { accepted, json, jsonOf, negotiated } from "./media.js";
import { describeDownload, describeExportJob, describeImportErrors, describeImportJob } from "./transfer.js";

/** Further operations, by name. */
export const otherDescribers: Readonly<Record<string, (describing: Describing, operation: Operation) => OperationDescription>> = {
  "searches.create": (describing, operation) => {
    const [collection] = collectionsWith(describing, "list");
    return {
      summary: "Search a collection",
      text: "A list with its query in the body, which also names the collection.",
      bodies: accepted(operation, () => namedSearchSchema(describing), { [json]: collection && { collection, perPage: 10 } }),
      answers: [
        { status: 200, text: "A page of the list.", headers: ["X-Total-Count"], bodies: negotiated(operation, listOfAny, { type: "object" }) },
      ],
      codes: [...listCodes, "NOT_FOUND", "FORBIDDEN"],
    };
  },
  "batch.create": describeMixedBatch,
  "imports.create": describeImportJob,
  "jobs.import": describeImportJob,
  "imports.errors": (describing) => describeImportErrors(describing),
  "exports.create": (describing) => describeExportJob(describing),
  "exports.download": () => describeDownload(),
  health: () => ({
    summary: "Whether the service runs",
    answers: [{ status: 200, text: "The state of the service.", bodies: [jsonOf(answered({ status: { enum: ["ok", "closing"] } }))] }],
  }),
  ready: () => ({
    summary: "Whether the service can answer requests",
    answers: [{ status: 200, text: "It can.", bodies: [jsonOf(answered({ ready: { const: true } }))] }],
    codes: ["STORAGE_UNAVAILABLE"],
  }),
};

const listOfAny = { anyOf: [answered({ data: arrayOf({ type: "object" }), meta: { type: "object" } }), arrayOf({})] };
