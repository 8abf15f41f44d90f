import { createHash, randomUUID } from "node:crypto";
import { basename } from "node:path";
import { formats } from "../../../src/capabilities/transfer/formats/transferFormat.js";
import { UsageError } from "../commandError.js";
import { formatOfName } from "../fileFormat.js";
import type { ImportOptions } from "./importOptions.js";
import { type InputFile, isErrorReport, isGzip } from "./inputFile.js";

/** The request that imports a file. */
export interface ImportRequest {
  readonly url: URL;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string;
}

/**
 * Makes the request that imports a file.
 *
 * @throws {UsageError} if the format or the collection is unknown
 */
export function importRequest(to: URL, file: InputFile, options: ImportOptions): ImportRequest {
  const { format, delimiter } = options.format ?? formatOfName(file.name) ?? formatUnknown(file);
  const url = new URL(to);
  const collection = options.collection ?? (namesCollection(url) ? undefined : collectionOf(file));
  const isReport = format === "csv" && isErrorReport(file.head);
  const usual = { ...(collection === undefined ? {} : { collection }), ...(delimiter === undefined ? {} : { delimiter }) };
  // An error report always has commas, and the service has escaped its formulas.
  const parameters = isReport ? { ...usual, formulas: "escaped", ...options.parameters, delimiter: "," } : { ...usual, ...options.parameters };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const headers = {
    "content-type": formats[format].mediaType,
    ...options.headers,
    ...(isGzip(file.head) ? { "content-encoding": "gzip" } : {}),
    accept: "application/json",
    // Always a job, even if the service would import a small file within the request.
    prefer: "respond-async",
  };
  const key = options.idempotencyKey === "new" ? randomUUID() : (options.idempotencyKey ?? keyOf(file, url, headers));
  return { url, headers: { ...headers, "idempotency-key": key }, key };
}

/** The same key for the same file, URL and options, so that the service creates one import, however often the file is sent. */
function keyOf({ identity }: InputFile, url: URL, headers: Readonly<Record<string, string>>): string {
  const parts = ["restwright import", identity, url.href, headers["content-type"], headers["content-encoding"] ?? ""];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function namesCollection(url: URL): boolean {
  return url.searchParams.has("collection") || !/\/(?:imports|jobs\/import)\/?$/.test(url.pathname);
}

/** `users.csv` → `users`. */
function collectionOf({ name }: InputFile): string {
  const [stem = ""] = basename(name).split(".", 1);
  if (name === "-" || stem === "") throw new UsageError("--collection is missing: the collection that the rows belong to.");
  return stem;
}

function formatUnknown({ name }: InputFile): never {
  throw new UsageError(
    `--format is missing: ${name === "-" ? "standard input" : `"${name}"`} does not imply one. Use csv, tsv, ndjson, jsonl or json.`,
  );
}
