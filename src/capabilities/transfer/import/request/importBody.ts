import type { Context } from "../../../../engine/operation/context.js";
import type { BodyRule, ReceivedBody } from "../../../../engine/operation/operation.js";
import type { LinkedResource } from "../../../../engine/resource/relations/link.js";
import { bodyChunks } from "../../../../ground/http/body/bodyStream.js";
import { isGzip } from "../../../../ground/http/body/notUtf8.js";
import { parseMediaType } from "../../../../ground/http/headers/mediaType.js";
import { bodyPace } from "../../../../ground/limits/bodyPace.js";
import type { Limits } from "../../../../ground/limits/limits.js";
import type { ProblemError } from "../../../../ground/problem/index.js";
import type { Faults } from "../../../../language/query/fault.js";
import { formatOfType, transferTypes } from "../../formats/transferFormat.js";
import type { TextCharset } from "../../formats/utf8Text.js";
import type { TransferFormat } from "../../rows.js";
import { arrayTooLarge } from "../file/fileRows.js";
import type { ImportFile } from "../file/importFile.js";
import { type FileTarget, type IncomingFile, receiveFile } from "../file/receiveFile.js";
import { type ImportPlan, planImport, readerOf, requireKey, requireTransactions } from "./importPlan.js";
import { parseImportQuery } from "./importQuery.js";

/** A received file, and the plan of its import. */
export interface ReceivedImport extends ReceivedBody {
  readonly plan: ImportPlan;
  readonly file: ImportFile;
}

const charsets = ["utf-16", "utf-16le", "utf-16be"] as const satisfies readonly TextCharset[];

/** The rule for bodies of imports: files, received as a stream. */
export function importBody(limits: Limits, receive: (context: Context) => Promise<ReceivedImport>): BodyRule {
  return {
    accepts: (mediaType) => formatOfType(mediaType) !== undefined,
    supported: transferTypes,
    charsets,
    codings: ["gzip"],
    limitBytes: limits.importBytes,
    tooLarge: "IMPORT_TOO_LARGE",
    receive,
  };
}

/**
 * Plans an import from the query and the headers, before its body is read.
 *
 * @param collection the collection, if the path names it
 * @throws {ProblemError} see `planImport` and `parseImportQuery`; ATOMIC_UNSUPPORTED
 */
export async function readImport(
  context: Context,
  resources: ReadonlyMap<string, LinkedResource>,
  collection?: string | undefined,
): Promise<ImportPlan> {
  const { environment, request } = context;
  const { query, limits } = { ...environment.lists, ...environment };
  const faults: Faults = [];
  const options = { format: formatOfRequest(context), namesCollection: collection === undefined, limits, ignores: query.ignores };
  const parsed = parseImportQuery(request.query, options, faults);
  const plan = await planImport(context, resources, { collection: collection ?? parsed.collection, settings: parsed.settings }, faults);
  requireKey(plan);
  requireTransactions(plan);
  return plan;
}

function formatOfRequest({ headers }: Context): TransferFormat {
  return formatOfType(parseMediaType(headers.get("content-type") ?? "")?.type ?? "") ?? "csv";
}

/** Where a file is received to, and how large it may be. */
export interface Reception {
  readonly limitBytes: number;
  tooLarge(maximum: number): ProblemError;
  readonly target: FileTarget;
  /** Key of the blob, if the target is one. */
  readonly key?: string | undefined;
}

/** Receives the file of an import. A CSV header is validated before the file is complete. */
export async function receiveImportFile(plan: ImportPlan, { limitBytes, tooLarge, target, key }: Reception): Promise<ImportFile> {
  const { settings, context } = plan;
  const { environment, headers, request } = context;
  const { limits, timers } = environment;
  const isArray = settings.format === "json";
  const maximum = isArray ? Math.min(limitBytes, limits.importArrayBytes) : limitBytes;
  const refuse = isArray && maximum < limitBytes ? arrayTooLarge : tooLarge;
  // Refuses a file that is too large by its Content-Length, before it is read.
  if (Number(headers.get("content-length") ?? 0) > maximum) throw refuse(maximum);
  const source = bodyChunks(request, { limitBytes: maximum, ...bodyPace(limits), timers, tooLarge: refuse });
  return receiveFile(
    source,
    target,
    {
      format: settings.format,
      delimiter: settings.delimiter,
      ...codingOf(context),
      limits,
      limitBytes: maximum,
      tooLarge: refuse,
      checkHeader: (header) => void readerOf(plan, header),
    },
    key,
  );
}

/** The encoding of the body. A host may have expanded a body that it has read, and always has if it has parsed it, even if the headers still name gzip. */
function codingOf({ headers, request: { body } }: Context): Pick<IncomingFile, "charset" | "isCompressed"> {
  if (body.kind === "parsed") return { charset: undefined, isCompressed: false };
  const named = parseMediaType(headers.get("content-type") ?? "")?.parameters["charset"]?.toLowerCase();
  const isSaid = headers.get("content-encoding")?.trim().toLowerCase() === "gzip";
  return {
    charset: charsets.find((each) => each === named),
    isCompressed: isSaid && (body.kind !== "bytes" || isGzip(body.bytes)),
  };
}
