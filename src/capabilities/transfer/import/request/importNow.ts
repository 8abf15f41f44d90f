import type { Context } from "../../../../engine/operation/context.js";
import { asProblem } from "../../../../engine/operation/faults/asProblem.js";
import { failure } from "../../../../engine/operation/faults/failure.js";
import { stableIdOf } from "../../../../engine/operation/ids/stableId.js";
import { type Operation, parsesQuery } from "../../../../engine/operation/operation.js";
import type { LinkedResource } from "../../../../engine/resource/relations/link.js";
import { parsePrefer } from "../../../../ground/http/headers/prefer.js";
import type { HttpResponse } from "../../../../ground/http/message.js";
import type { Limits } from "../../../../ground/limits/limits.js";
import { ProblemError } from "../../../../ground/problem/index.js";
import { Retryable, Unavailable } from "../../../../ground/storage/errors.js";
import { jobsOf } from "../../../jobs/settings.js";
import { blobsOf } from "../../blobs.js";
import { type MemoryTarget, memoryTarget } from "../file/blobTarget.js";
import { fileRows } from "../file/fileRows.js";
import { ImportBrokeOff, type ImportSummary, importEach, importWhole, RowRejected, rejection, tooManyErrors } from "../write/importChunk.js";
import type { FailedRow } from "../write/rowResult.js";
import { importBody, type ReceivedImport, readImport, receiveImportFile } from "./importBody.js";
import { importJobs } from "./importKind.js";
import { hasEffects, type ImportPlan, prepareImport, readerOf, workOf } from "./importPlan.js";
import { type ImportInBlob, importKeyTimes, importQuestions, receiveInBlob, submitImport } from "./submitImport.js";

/** A file in memory, which is imported within the request. */
interface ImportInMemory extends ReceivedImport {
  readonly target: MemoryTarget;
}

/** So many failed rows are in the response. */
const maxListed = 100;

/** POST of a file to a collection: `/users/import`. The file is imported within the request, in one transaction, or as a job with `Prefer: respond-async`. */
export function importNowOperation({ name }: LinkedResource, resources: ReadonlyMap<string, LinkedResource>, limits: Limits): Operation {
  return {
    name: `${name}.import`,
    method: "POST",
    standsAlone: true,
    vary: "Prefer",
    access: { action: "create", collection: undefined },
    asksLater: [importQuestions(name)],
    readQuery: parsesQuery,
    keyTimes: (context) => (wantsJob(context) ? importKeyTimes : {}),
    body: importBody(limits, async (context) => {
      const plan = await readImport(context, resources, name);
      return wantsJob(context) ? receiveInBlob(plan) : receiveInMemory(plan);
    }),
    run: (context) =>
      wantsJob(context)
        ? submitImport(context, context.received as ImportInBlob, { "preference-applied": "respond-async" })
        : importNow(context, context.received as ImportInMemory),
  };
}

function wantsJob({ headers, environment }: Context): boolean {
  const jobs = jobsOf(environment);
  const blobs = blobsOf(environment);
  return jobs !== undefined && blobs !== undefined && parsePrefer(headers.get("prefer")).respondAsync === true;
}

async function receiveInMemory(plan: ImportPlan): Promise<ImportInMemory> {
  const { limits, baseUrl } = plan.context.environment;
  const { mount } = plan.context.request;
  const imports = `${baseUrl ?? mount}/${importJobs.path}?collection=${encodeURIComponent(plan.resource.name)}`;
  const target = memoryTarget();
  const tooLarge = (maximum: number) => tooLargeNow(`more than ${maximum} bytes`, maximum, imports);
  const file = await receiveImportFile(plan, { limitBytes: limits.importNowBytes, tooLarge, target });
  if (file.rows > limits.importNowRows) throw tooLargeNow(`${file.rows} rows, more than ${limits.importNowRows}`, limits.importNowRows, imports);
  return { plan, file, target, fingerprint: file.sha256, release: async () => {} };
}

function tooLargeNow(what: string, maximum: number, imports: string): ProblemError {
  const detail = `The file has ${what}, too many to import within the request. Send it to ${imports}, or with "Prefer: respond-async".`;
  return new ProblemError("IMPORT_TOO_LARGE", detail, { extensions: { maximum, imports }, headers: { link: `<${imports}>; rel="alternate"` } });
}

async function importNow(context: Context, { plan, file, target }: ImportInMemory): Promise<HttpResponse> {
  const { settings } = plan;
  const { limits } = context.environment;
  const { delimiter, offset } = settings;
  const read = readerOf(plan, file.header);
  // Without a transaction, a store inserts each row once per operation id.
  const ids = (context.environment.storage.transaction === undefined || hasEffects(plan)) && context.operationId !== undefined;
  // A dry run has no effects.
  const effectsUnder = settings.dryRun || !hasEffects(plan) ? undefined : stableIdOf(context);
  // The rows are validated within the transaction, where no rule may be asked.
  await prepareImport(plan);
  let response: HttpResponse | undefined;
  try {
    await (effectsUnder === undefined ? importWhole : importEach)(context, {
      source: () => fileRows(file, undefined, { delimiter, offset, limits, read: async (from) => target.read(from) }),
      work: ({ environment }) =>
        workOf({ ...plan, context: { ...plan.context, environment, operationId: context.operationId } }, read, {
          operationIdOf: ids ? ({ row }) => `${context.operationId}:${row}` : undefined,
          effectsUnder,
        }),
      stops: settings.onError === "stop",
      isDry: settings.dryRun,
      maxListed,
      maxErrors: settings.maxErrors,
      async seal(tx, summary) {
        response = summary.endedAfterRow === undefined ? answer(plan, summary) : ended(plan, summary);
        if (tx !== undefined) for (const join of context.joins) await join(tx, response);
      },
    });
  } catch (error) {
    if (error instanceof ImportBrokeOff) throw brokenOff(context, error);
    throw error instanceof RowRejected ? rejection(error.failed) : error;
  }
  if (response === undefined) throw new Error("An import ended without a response.");
  return response;
}

function answer({ settings }: ImportPlan, { counts, failed }: ImportSummary): HttpResponse {
  const document = { result: counts, ...(settings.dryRun ? { dryRun: true } : {}), errors: failed.map(shownRow) };
  return { status: 200, headers: { "content-type": "application/json", "cache-control": "no-store" }, body: JSON.stringify(document) };
}

/** The response of an import that had too many errors. The imported rows stay, so it commits with them like a success. */
function ended({ settings, context }: ImportPlan, { counts, failed, endedAfterRow }: ImportSummary): HttpResponse {
  const problem = tooManyErrors(settings.maxErrors, endedAfterRow, { result: counts, errors: failed.map(shownRow) });
  return failure(context.environment, context.request, context.requestId, problem);
}

/**
 * The error of an import whose rows commit one after the other, with what is imported: without a key, to repeat it would import these rows again. With a key the
 * next request continues.
 */
function brokenOff({ operationId }: Context, { cause, summary: { counts, failed }, row }: ImportBrokeOff): unknown {
  const problem = asProblem(cause);
  const hasWritten = counts.created + counts.updated > 0;
  if (operationId !== undefined || !hasWritten || problem.status < 500) return cause;
  const isOfStorage = cause instanceof Unavailable || cause instanceof Retryable;
  const detail = `The import broke off at row ${row}. The rows before it are done, and it may have been.`;
  const extensions = { row, result: counts, errors: failed.map(shownRow) };
  return new ProblemError(isOfStorage ? "OUTCOME_UNKNOWN" : problem.code, detail, { cause, extensions });
}

/** A failed row as the response shows it. */
export function shownRow({ row: { row, line }, faults }: FailedRow) {
  const [first] = faults;
  return {
    row,
    line,
    code: first?.code ?? "CONFLICT",
    errors: faults.map(({ code, detail, field }) => ({ code, detail, ...(field === undefined ? {} : { field }) })),
  };
}
