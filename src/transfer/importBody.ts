import { bodyChunks } from "../http/bodyStream.js";
import { parseMediaType } from "../http/mediaType.js";
import type { Limits } from "../limits/limits.js";
import type { Context } from "../operation/context.js";
import type { BodyRule, ReceivedBody } from "../operation/operation.js";
import type { ProblemError } from "../problem/index.js";
import type { Faults } from "../query/fault.js";
import type { LinkedResource } from "../resource/link.js";
import { arrayTooLarge } from "./fileRows.js";
import { formatOfType, transferTypes } from "./formats/transferFormat.js";
import type { TextCharset } from "./formats/utf8Text.js";
import type { ImportFile } from "./importFile.js";
import { type ImportPlan, planImport, readerOf, requireTransactions } from "./importPlan.js";
import { parseImportQuery } from "./importQuery.js";
import { type FileTarget, type IncomingFile, receiveFile } from "./receiveFile.js";
import type { TransferFormat } from "./rows.js";

/** The file of an import that was received, and what is to be done with it. */
export interface ReceivedImport extends ReceivedBody {
  readonly plan: ImportPlan;
  readonly file: ImportFile;
}

const charsets = ["utf-16", "utf-16le", "utf-16be"] as const satisfies readonly TextCharset[];

/** The bodies of imports: files, taken as they come. */
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
 * What a request for an import asks for, before its body is looked at.
 *
 * @param collection where the path says it
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
  requireTransactions(plan);
  return plan;
}

function formatOfRequest({ headers }: Context): TransferFormat {
  return formatOfType(parseMediaType(headers.get("content-type") ?? "")?.type ?? "") ?? "csv";
}

/** How much of a file is taken, and where it goes. */
export interface Reception {
  readonly limitBytes: number;
  tooLarge(maximum: number): ProblemError;
  readonly target: FileTarget;
  /** Where the target keeps it. */
  readonly key?: string | undefined;
}

/** Receives the file of an import. The header is judged by the plan before anything is kept. */
export async function receiveImportFile(plan: ImportPlan, { limitBytes, tooLarge, target, key }: Reception): Promise<ImportFile> {
  const { settings, context } = plan;
  const { environment, headers, request } = context;
  const { limits, timers } = environment;
  const isArray = settings.format === "json";
  const maximum = isArray ? Math.min(limitBytes, limits.importArrayBytes) : limitBytes;
  const refuse = isArray && maximum < limitBytes ? arrayTooLarge : tooLarge;
  // Refused before anything is read, where the client says how much comes.
  if (Number(headers.get("content-length") ?? 0) > maximum) throw refuse(maximum);
  const source = bodyChunks(request, { limitBytes: maximum, stallMs: limits.bodyStallMs, timers, tooLarge: refuse });
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

/** What a host has read may be expanded already, and what it has parsed is, whatever the headers say. */
function codingOf({ headers, request: { body } }: Context): Pick<IncomingFile, "charset" | "isCompressed"> {
  if (body.kind === "parsed") return { charset: undefined, isCompressed: false };
  const named = parseMediaType(headers.get("content-type") ?? "")?.parameters["charset"]?.toLowerCase();
  const isGzip = headers.get("content-encoding")?.trim().toLowerCase() === "gzip";
  return {
    charset: charsets.find((each) => each === named),
    isCompressed: isGzip && (body.kind !== "bytes" || (body.bytes[0] === 0x1f && body.bytes[1] === 0x8b)),
  };
}
