import type { z } from "zod";
import type { Limits } from "../limits/limits.js";
import { ProblemError } from "../problem/index.js";
import type { TextCharset } from "./formats/utf8Text.js";
import { rejection } from "./importChunk.js";
import { judgeBySchema } from "./judgeBySchema.js";
import { type FailedRow, failedRow } from "./rowResult.js";
import type { RowFault, SourceRow, TransferFormat } from "./rows.js";
import { schemaRows } from "./schemaRows.js";

/** A row that fits its schema, and where it stands in the file. */
export interface ImportedRow<Row> {
  /** The first one, behind the header, is 1. */
  readonly row: number;
  /** The first line of the file is 1. */
  readonly line: number;
  readonly value: Row;
}

/** Where rows go. */
export interface RowSink<Row> {
  /**
   * Takes rows that stand next to each other, up to 1,000.
   *
   * @returns why rows were not taken, at their places; nothing where all were
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a sink that takes everything returns nothing
  write(rows: readonly ImportedRow<Row>[]): Promise<readonly (RowFault | undefined)[] | void>;
}

/** How a file is imported. */
export interface ImportRowsOptions<S extends z.ZodObject> {
  /** What a row has to be. */
  readonly schema: S;
  readonly sink: RowSink<z.output<S>>;
  /** `csv` unless said otherwise. */
  readonly format?: TransferFormat | undefined;
  /** A row that fails is left out (default), or ends the import. */
  readonly onError?: "continue" | "stop" | undefined;
  /** More failed rows end the import (10,000). */
  readonly maxErrors?: number | undefined;
  /** Fields by the names that the file has for them. */
  readonly map?: Readonly<Record<string, string>> | undefined;
  /** Columns that the schema does not know are refused (default), or left out. */
  readonly unknownColumns?: "error" | "ignore" | undefined;
  /** Of CSV: `,` (default), `;`, `|` or a tab. */
  readonly delimiter?: string | undefined;
  /** Rows to pass over at the beginning (0). */
  readonly offset?: number | undefined;
  /** Whether one apostrophe in front of a formula is taken away: `escaped` in files that an export has made. */
  readonly formulas?: "literal" | "escaped" | undefined;
  /** `utf-8` unless a byte-order mark says otherwise. */
  readonly charset?: TextCharset | undefined;
  /** Whether the file comes as gzip. */
  readonly gzip?: boolean | undefined;
  readonly limits?:
    | Partial<Pick<Limits, "importBytes" | "importArrayBytes" | "importRowBytes" | "importColumns" | "jsonDepth" | "jsonMembers" | "jsonValues">>
    | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Hears of each chunk of rows that is done. */
  onProgress?(summary: ImportRowsSummary): void;
}

/** A row that was not imported, and why. */
export interface RowError extends SourceRow {
  readonly faults: readonly RowFault[];
}

/** What came of an import so far. */
export interface ImportRowsSummary {
  readonly imported: number;
  readonly failed: number;
  /** The first 1,000 rows that failed. */
  readonly errors: readonly RowError[];
}

const maximumErrors = 10_000;
const maximumTold = 1_000;

/**
 * Imports the rows of a file: decoded, split, read by the types of the schema, validated and handed on in chunks. Memory stays flat, however long it is.
 *
 * @param file its bytes, as they come
 * @throws {ProblemError} for a file that cannot be read to its end or has the wrong header; IMPORT_REJECTED, TOO_MANY_ERRORS
 * @example
 * const { imported, errors } = await importRows(createReadStream("users.csv"), {
 *   schema: z.object({ name: z.string(), email: z.email() }),
 *   sink: { write: async (rows) => insert(rows.map(({ value }) => value)) },
 * });
 */
export async function importRows<S extends z.ZodObject>(file: AsyncIterable<Uint8Array>, options: ImportRowsOptions<S>): Promise<ImportRowsSummary> {
  const { sink, onError = "continue", maxErrors = maximumErrors, signal, onProgress } = options;
  let summary: ImportRowsSummary = { imported: 0, failed: 0, errors: [] };
  const judge = judgeBySchema(options.schema);
  for await (const { rows, membersOf } of schemaRows(file, options)) {
    signal?.throwIfAborted();
    const judged = await Promise.all(rows.map((row) => judge(row, membersOf(row))));
    const { taken, failed } = await written(sink, rows, judged, onError);
    const imported = summary.imported + taken;
    const [first] = failed;
    if (onError === "stop" && first !== undefined) throw rejection(first, whatWasImported(imported));
    summary = { imported, failed: summary.failed + failed.length, errors: told(summary.errors, failed) };
    onProgress?.(summary);
    if (summary.failed > maxErrors) {
      const row = rows.at(-1)?.row;
      const detail = `More than ${maxErrors} rows failed; the import ended behind row ${row}. ${whatWasImported(imported)}`;
      throw new ProblemError("TOO_MANY_ERRORS", detail, { extensions: { row } });
    }
  }
  return summary;
}

function told(errors: readonly RowError[], failed: readonly FailedRow[]): readonly RowError[] {
  const left = failed.slice(0, maximumTold - errors.length);
  return left.length === 0 ? errors : [...errors, ...left.map(({ row, faults }) => ({ ...row, faults }))];
}

/** Hands on what can be, and says what failed, in the order of the file. */
async function written<Row>(
  sink: RowSink<Row>,
  rows: readonly SourceRow[],
  judged: readonly (ImportedRow<Row> | FailedRow)[],
  onError: "continue" | "stop",
): Promise<{ readonly taken: number; readonly failed: readonly FailedRow[] }> {
  const good = judged.filter((each) => "value" in each);
  const unfit = judged.filter((each) => "faults" in each);
  if (good.length === 0 || (onError === "stop" && unfit.length > 0)) return { taken: 0, failed: unfit };
  const refused = (await sink.write(good)) ?? [];
  const byRow = new Map(good.map(({ row }, index) => [row, refused[index]]));
  const failed = rows.flatMap((row, index) => {
    const fault = byRow.get(row.row);
    const known = judged[index];
    if (known !== undefined && "faults" in known) return [known];
    return fault === undefined ? [] : [failedRow(row, fault)];
  });
  return { taken: rows.length - failed.length, failed };
}

function whatWasImported(rows: number): string {
  if (rows === 0) return "Nothing was imported.";
  return rows === 1 ? "One row was imported." : `${rows} rows were imported.`;
}
