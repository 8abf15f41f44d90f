import { listCodes } from "../../engine/description/codes.js";
import { collectionsWith, type DescribeOperation, type Describing } from "../../engine/description/describing.js";
import { fileAnswers, fileCodesOfDownloads, fileRequestHeaders, signatureParameters } from "../../engine/description/downloads.js";
import { accepted, json, jsonOf } from "../../engine/description/media.js";
import { prefer } from "../../engine/description/parameters/headers.js";
import { listParameters } from "../../engine/description/parameters/list.js";
import { createExample } from "../../engine/description/schemas/examples.js";
import { answered, arrayOf, link, sent, text, whole } from "../../engine/description/schemas/object.js";
import { rowSchema } from "../../engine/description/schemas/rowSchemas.js";
import { names } from "../../engine/description/schemas/searchSchema.js";
import type { DescribedParameter, OperationDescription } from "../../engine/operation/description.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import { describeAcceptedJob } from "../jobs/description/describeAcceptedJob.js";

const csv = "text/csv";
const ndjson = ["application/x-ndjson", "application/ndjson", "application/jsonl"];

/** What a file of an import may be refused for as a whole. */
const fileCodes = [
  "EMPTY_FILE",
  "IMPORT_TOO_LARGE",
  "IMPORT_REJECTED",
  "TOO_MANY_ERRORS",
  "INVALID_ENCODING",
  "INVALID_COMPRESSION",
  "MISSING_COLUMN",
  "REPEATED_COLUMN",
  "UNKNOWN_COLUMN",
  "QUOTE_NOT_CLOSED",
  "BAD_QUOTE",
  "ROW_WIDTH",
  "ROW_NOT_OBJECT",
  "ROW_TOO_LARGE",
];
const importCodes = [
  ...fileCodes,
  "MALFORMED_QUERY",
  "UNKNOWN_FIELD",
  "INVALID_VALUE",
  "EMPTY_VALUE",
  "REPEATED_PARAMETER",
  "CONFLICTING_PARAMETERS",
  "QUERY_TOO_COMPLEX",
  "FORBIDDEN_FIELD",
  "NOT_FOUND",
  "ATOMIC_UNSUPPORTED",
  "TRANSFER_UNSUPPORTED",
  "JOBS_UNSUPPORTED",
  "TOO_MANY_JOBS",
  "SOURCE_CHANGED",
  "IDEMPOTENCY_KEY_REQUIRED",
  "WRITE_CONFLICT",
  "HOOK_TIMEOUT",
  "QUERY_TIMEOUT",
];

const importParameters: readonly DescribedParameter[] = [
  {
    name: "mode",
    text: "Whether rows are inserted, or found by `key` and changed.",
    schema: { enum: ["insert", "upsert", "update"], default: "insert" },
  },
  { name: "key", text: "The field by which rows are found, or the parts of a composite id with commas.", schema: text },
  { name: "onError", text: "`stop`: nothing is imported if a row fails.", schema: { enum: ["continue", "stop"], default: "continue" } },
  { name: "maxErrors", text: "The import ends after so many failed rows.", schema: { type: "integer", minimum: 0, maximum: 10_000 } },
  { name: "dryRun", text: "Only checks the file.", schema: { type: "boolean", default: false } },
  { name: "unknownColumns", schema: { enum: ["error", "ignore"], default: "error" } },
  { name: "delimiter", text: "Of CSV.", schema: { enum: [",", ";", "|", "tab"], default: "," } },
  { name: "offset", text: "So many rows at the beginning are left out.", schema: whole },
  { name: "skipUnchanged", text: "Rows that would not change are not written.", schema: { type: "boolean", default: false } },
  { name: "formulas", text: "`escaped`: an apostrophe before a formula is removed.", schema: { enum: ["literal", "escaped"], default: "literal" } },
  {
    name: "map",
    text: "`map[Header]=field`: the field of a column.",
    schema: { type: "object", additionalProperties: text },
    style: "deepObject",
    explode: true,
  },
];

const exportParameters: readonly DescribedParameter[] = [
  { name: "format", schema: { enum: ["csv", "ndjson", "json", "jsonl"] } },
  { name: "delimiter", text: "Of CSV.", schema: { enum: [",", ";", "|", "tab"], default: "," } },
  {
    name: "formulas",
    text: "`escape`: an apostrophe before texts that a spreadsheet would compute.",
    schema: { enum: ["escape", "literal"], default: "escape" },
  },
  { name: "bom", text: "A byte order mark before CSV.", schema: { type: "boolean", default: false } },
];

/** Imports and exports. */
export const describeTransfer: DescribeOperation = (describing, operation, linked) => {
  if (linked === undefined) return describers[operation.name]?.(describing, operation);
  if (operation.action !== undefined) return undefined;
  if (operation.name === `${linked.name}.import`) return describeImport(describing, linked, operation);
  return operation.name === `${linked.name}.export` ? describeExport(describing, linked) : undefined;
};

/** The operations over all collections, by name. */
const describers: Readonly<Record<string, (describing: Describing, operation: Operation) => OperationDescription>> = {
  "imports.create": describeImportJob,
  "jobs.import": describeImportJob,
  "imports.errors": describeImportErrors,
  "exports.create": describeExportJob,
  "exports.download": describeDownload,
};

/** `/users/import`. */
function describeImport(describing: Describing, linked: LinkedResource, operation: Operation): OperationDescription {
  return {
    summary: `Import ${linked.name}`,
    text: "Reads the file within the request, or as a job with `Prefer: respond-async`.",
    query: importParameters,
    headers: [prefer("respond-async")],
    bodies: fileBodies(describing, operation, linked),
    answers: [
      { status: 200, text: "What was imported.", bodies: [jsonOf(importResult())] },
      describeAcceptedJob(describing, "The file is imported by a job."),
    ],
    codes: importCodes,
  };
}

/** `/imports` and `/jobs/import`. */
function describeImportJob(describing: Describing, operation: Operation): OperationDescription {
  const listed = collectionsWith(describing, "import", "list");
  const collection = { name: "collection", text: "The collection to import to.", required: true, schema: { ...text, enum: listed } };
  return {
    summary: "Import a file as a job",
    query: [collection, ...importParameters],
    bodies: fileBodies(describing, operation, describing.resources.get(listed[0] ?? "")),
    answers: [describeAcceptedJob(describing, "The file is imported by a job.")],
    codes: importCodes,
  };
}

/** @param linked the collection of the example */
function fileBodies(describing: Describing, operation: Operation, linked: LinkedResource | undefined): OperationDescription["bodies"] {
  const row = linked && createExample(describing, linked);
  return accepted(operation, (type) => (type === json ? arrayOf({ type: "object" }) : text), { [json]: row && [row] });
}

function importResult() {
  const fault = answered({ code: text, detail: text }, { field: { anyOf: [text, arrayOf(text)] } });
  const row = answered({ row: whole, code: text, errors: arrayOf(fault) }, { line: { type: ["integer", "null"] } });
  return answered(
    { result: answered({ created: whole, updated: whole, skipped: whole, failed: whole }), errors: arrayOf(row) },
    { dryRun: { const: true } },
  );
}

/** `/users/export`. */
function describeExport(describing: Describing, linked: LinkedResource): OperationDescription {
  const row = { ...rowSchema(describing, linked) };
  const own = new Set(["page", "perPage", "cursor", "count", "include", "deleted", ...exportParameters.map(({ name }) => name)]);
  const lines = ndjson.map((mediaType) => ({ mediaType, schema: text, item: row }));
  return {
    summary: `Export ${linked.name}`,
    query: [...listParameters(describing, linked).filter(({ name }) => !own.has(name)), ...exportParameters],
    answers: [
      {
        status: 200,
        text: "All rows that match, while they are read.",
        headers: ["Content-Disposition", "Content-Security-Policy"],
        bodies: [{ mediaType: csv, schema: text }, ...lines, jsonOf(arrayOf(row))],
      },
    ],
    codes: [...listCodes, "NOT_FOUND", "FORBIDDEN", "TOO_MANY_EXPORTS"],
  };
}

/** `/exports`. */
function describeExportJob(describing: Describing): OperationDescription {
  const listed = collectionsWith(describing, "export");
  const optional = {
    filter: { type: "object" },
    sort: names,
    fields: names,
    exclude: names,
    q: text,
    format: { enum: ["csv", "ndjson", "json", "jsonl"] },
    delimiter: { enum: [",", ";", "|", "tab"] },
    formulas: { enum: ["escape", "literal"] },
    bom: { type: "boolean" },
    gzip: { type: "boolean" },
  };
  return {
    summary: "Export a list as a job",
    bodies: [jsonOf(sent({ collection: { enum: listed } }, optional), listed[0] && { collection: listed[0], format: "csv" })],
    answers: [describeAcceptedJob(describing, "The file is written by a job.")],
    codes: [...listCodes, "NOT_FOUND", "FORBIDDEN", "JOBS_UNSUPPORTED", "TRANSFER_UNSUPPORTED", "TOO_MANY_JOBS"],
  };
}

/** `/exports/{id}/download`. */
function describeDownload(): OperationDescription {
  return {
    summary: "Download the file of an export",
    query: signatureParameters,
    headers: fileRequestHeaders,
    answers: [...fileAnswers, { status: 302, text: "The file is at this address.", headers: ["Location"] }],
    codes: [...fileCodesOfDownloads, "INVALID_SIGNATURE", "FORBIDDEN", "EXPORT_OUTDATED", "EXPIRED"],
  };
}

/** `/imports/{id}/errors`. */
function describeImportErrors({ components }: Describing): OperationDescription {
  const row = answered(
    { row: whole, errors: arrayOf({ type: "object" }) },
    { line: { type: ["integer", "null"] }, code: text, cells: {}, value: {}, text },
  );
  const page = components.own("ImportErrors", () => answered({ errors: arrayOf(row), links: answered({ self: link }, { next: link }) }));
  return {
    summary: "Read the failed rows of an import",
    text: "As CSV that can be corrected and imported again, or as JSON in pages.",
    query: [{ name: "after", text: "For JSON: the number of the row before the first that is shown.", schema: whole }],
    answers: [
      {
        status: 200,
        text: "The failed rows.",
        headers: ["Content-Disposition", "Content-Security-Policy"],
        bodies: [{ mediaType: csv, schema: text }, jsonOf({ ...page })],
      },
    ],
    codes: ["NOT_FOUND", "INVALID_VALUE", "EMPTY_VALUE", "REPEATED_PARAMETER"],
  };
}
