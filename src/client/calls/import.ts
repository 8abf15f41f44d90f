import type { ErrorCode } from "../errors.js";
import { type CallOptions, checkOptions, type WriteOptions, writeNames } from "../options.js";
import { encode, queryText } from "../parameters.js";
import type { Send } from "../transport/transport.js";
import { jobOf, type ResumableJob } from "./job.js";

/** A file to import; the `File` of a page, a text, bytes, or a stream, which is sent once. */
export type ImportedFile = Blob | string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** The formats of files. */
export type FileFormat = "csv" | "ndjson" | "json";

/** Options of `import`. */
export interface ImportOptions<Key extends string = string> extends WriteOptions {
  /** By default that of the file's type or name. */
  readonly format?: FileFormat | undefined;
  /** The file is compressed by gzip. */
  readonly gzip?: boolean | undefined;
  readonly mode?: "insert" | "upsert" | "update" | undefined;
  /** The id, a unique field, or the parts of a composite id, as `orderId,line`, by which `upsert` and `update` find a row. */
  readonly key?: Key | undefined;
  readonly onError?: "continue" | "stop" | undefined;
  readonly maxErrors?: number | undefined;
  readonly skipUnchanged?: boolean | undefined;
  /** Validates everything and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** The field of a column: `{ "E-mail": "email" }`. */
  readonly map?: Readonly<Record<string, string>> | undefined;
  readonly unknownColumns?: "error" | "ignore" | undefined;
  readonly delimiter?: "," | ";" | "|" | "tab" | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
  readonly formulas?: "literal" | "escaped" | undefined;
}

/** What an import did, in rows. */
export interface ImportResult {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly failed: number;
}

/** A row that failed. */
export interface FailedRow {
  /** The number of the row, from 1. */
  readonly row: number;
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
  readonly code: ErrorCode;
  /** All faults of the row. */
  readonly errors: readonly { readonly code: ErrorCode; readonly detail: string; readonly field?: string }[];
  /** What the file has: cells of CSV, the value of a line or element of JSON, or the text of a line that is not JSON. */
  readonly cells?: readonly (string | null)[];
  readonly value?: unknown;
  readonly text?: string;
}

/** Options of `errors`. */
export interface FailedRowsOptions extends CallOptions {
  /** The number of the row after which to begin (0). */
  readonly after?: number | undefined;
}

/** The job of an import. */
export interface ImportJob extends ResumableJob<ImportResult> {
  /** What the service noticed before it began: `SAME_FILE` if the file was imported before, unless the request has a key. */
  readonly warnings: readonly { readonly code: string; readonly importId?: string }[];
  /** The rows that have failed until now, page by page as they are read. */
  errors(options?: FailedRowsOptions): AsyncIterable<FailedRow>;
}

const names = "mode key onError maxErrors skipUnchanged dryRun unknownColumns delimiter offset formulas ";
const types = { csv: "text/csv", ndjson: "application/x-ndjson", json: "application/json" };

/** Sending a large file takes longer than an answer. */
const timeoutMs = 3_600_000;

/** Sends the file, and returns the job that imports it. */
export async function importFile(send: Send, collection: string, body: ImportedFile, options: ImportOptions): Promise<ImportJob> {
  const operation = `${collection}.import`;
  checkOptions(operation, options, `${names}format gzip map ${writeNames}`);
  const { map = {}, gzip, format } = options;
  const query = Object.entries({ collection, ...options }).filter(
    ([name, value]) => value !== undefined && `collection ${names}`.includes(`${name} `),
  );
  const columns = Object.entries(map).map(([column, field]) => [`map[${column}]`, field] as const);
  const { value } = await send({
    operation,
    method: "POST",
    path: `/imports${queryText([...query, ...columns].map(([name, value]) => `${encode(name)}=${encode(value)}`))}`,
    body,
    type: format ? types[format] : typeOf(body),
    headers: { "content-encoding": gzip ? "gzip" : undefined },
    options: { ...options, timeoutMs: options.timeoutMs ?? timeoutMs },
  });
  const { id, warnings = [] } = value as { readonly id: string; readonly warnings?: ImportJob["warnings"] };
  const path = `/imports/${id}`;
  return {
    ...jobOf<ImportResult>(send, operation, path, options),
    warnings,
    async *errors({ after = 0, ...call } = {}) {
      checkOptions(`${collection}.errors`, call, "");
      for (let row: number | undefined = after; row !== undefined; ) {
        const { value: page } = await send({
          operation,
          method: "GET",
          path: `${path}/errors?after=${row}`,
          options: { signal: options.signal, ...call },
        });
        const { errors, links } = page as { readonly errors: readonly FailedRow[]; readonly links: { readonly next?: string } };
        yield* errors;
        row = links.next === undefined ? undefined : errors.at(-1)?.row;
      }
    },
  };
}

/** The name comes first: the type of a `.csv` is that of a spreadsheet where Excel is installed. @throws {TypeError} if neither says it */
function typeOf(file: ImportedFile): string {
  const { type, name = "" } = file as { readonly type?: string; readonly name?: string };
  const known = /\.(csv|ndjson|json)$/i.exec(name)?.[1]?.toLowerCase();
  const found = known === undefined ? type : types[known as FileFormat];
  if (!found) throw new TypeError('import needs the format of the file: { format: "csv" }.');
  return found;
}
