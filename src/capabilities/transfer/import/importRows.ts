import type { z } from "zod";
import { compileValidate } from "../../../engine/resource/define/validate.js";
import { withoutRepeats } from "../../../engine/resource/write/members.js";
import { unknownMembersIn } from "../../../engine/resource/write/unknownMembers.js";
import type { Limits } from "../../../ground/limits/limits.js";
import { callable, flag, having, named, oneOf, optionsCheck, passing, strict, text, whole } from "../../../ground/options/index.js";
import { ProblemError, type ProblemItem } from "../../../ground/problem/index.js";
import { introspectObject } from "../../../language/schema/introspect.js";
import { strictUnions } from "../../../language/schema/strictUnions.js";
import { givenDateTime, inputConverter } from "../../../language/schema/wire.js";
import type { TextCharset } from "../formats/utf8Text.js";
import type { RowFault, SourceRow, TransferFormat } from "../rows.js";
import type { JsonMembers } from "./columns/jsonMembers.js";
import { schemaRows } from "./schemaRows.js";
import { rejection } from "./write/importChunk.js";
import { type FailedRow, failedRow, faultsOf } from "./write/rowResult.js";

/** A row that matches the schema, and its position in the file. */
export interface ImportedRow<Row> {
  /** The first row after the header is 1. */
  readonly row: number;
  /** The first line of the file is 1. */
  readonly line: number;
  readonly value: Row;
}

/** Receives the rows of a file. */
export interface RowSink<Row> {
  /**
   * Writes up to 1,000 rows, in the order of the file.
   *
   * @returns at the index of each row that was refused, its fault; nothing if all rows were written
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a sink that takes everything returns nothing
  write(rows: readonly ImportedRow<Row>[]): Promise<readonly (RowFault | undefined)[] | void>;
}

/** Options of `importRows`. */
export interface ImportRowsOptions<S extends z.ZodObject> {
  /** The schema of a row. */
  readonly schema: S;
  /** Receives the rows of the file. */
  readonly sink: RowSink<z.output<S>>;
  /** The format of the file. Defaults to `csv`. */
  readonly format?: TransferFormat | undefined;
  /** A row that fails is left out (`continue`, default), or ends the import (`stop`). */
  readonly onError?: "continue" | "stop" | undefined;
  /** More failed rows end the import (default 10,000). */
  readonly maxErrors?: number | undefined;
  /** Column or member name of the file → field name. */
  readonly map?: Readonly<Record<string, string>> | undefined;
  /** Columns that are not in the schema are refused (`error`, default), or left out (`ignore`). */
  readonly unknownColumns?: "error" | "ignore" | undefined;
  /** Of CSV: `,` (default), `;`, `|` or a tab. */
  readonly delimiter?: string | undefined;
  /** Rows to skip at the beginning (default 0). */
  readonly offset?: number | undefined;
  /** `escaped` removes one apostrophe before a formula, as exports write it (default `literal`). */
  readonly formulas?: "literal" | "escaped" | undefined;
  /** Time zone in which a date without a time begins, if the schema expects a date-time (default `UTC`). */
  readonly timeZone?: string | undefined;
  /** Encoding of a file without a byte-order mark (default `utf-8`). */
  readonly charset?: TextCharset | undefined;
  /** Whether the file is compressed with gzip (false). */
  readonly gzip?: boolean | undefined;
  /** Limits by their names. */
  readonly limits?:
    | Partial<Pick<Limits, "importBytes" | "importArrayBytes" | "importRowBytes" | "importColumns" | "jsonDepth" | "jsonMembers" | "jsonValues">>
    | undefined;
  /** Ends the import when it is aborted. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each chunk of rows. */
  onProgress?(summary: ImportRowsSummary): void;
}

const check = /* @__PURE__ */ optionsCheck("importRows", () =>
  strict<ImportRowsOptions<z.ZodObject>>(
    {
      schema: passing("a z.object schema", (schema) => (schema as Partial<z.ZodType> | null | undefined)?._zod?.def.type === "object"),
      sink: having("a sink, an object with write", "write"),
      format: oneOf("csv", "ndjson", "json"),
      onError: oneOf("continue", "stop"),
      maxErrors: whole(0),
      map: named(text("the name of a field"), "an object with fields by the names of columns"),
      unknownColumns: oneOf("error", "ignore"),
      delimiter: oneOf(",", ";", "|", "\t"),
      offset: whole(0),
      formulas: oneOf("literal", "escaped"),
      charset: text("the name of a charset"),
      timeZone: text(),
      gzip: flag(),
      limits: strict<NonNullable<ImportRowsOptions<z.ZodObject>["limits"]>>({
        importBytes: whole(1),
        importArrayBytes: whole(1),
        importRowBytes: whole(1),
        importColumns: whole(1),
        jsonDepth: whole(1, 1_000),
        jsonMembers: whole(1),
        jsonValues: whole(1),
      }),
      signal: having("an AbortSignal", "throwIfAborted"),
      onProgress: callable(),
    },
    ["schema", "sink"],
  ),
);

/** A failed row and its faults. */
export interface RowError extends SourceRow {
  readonly faults: readonly RowFault[];
}

/** The result of an import so far. */
export interface ImportRowsSummary {
  readonly imported: number;
  readonly failed: number;
  /** The first 1,000 rows that failed. */
  readonly errors: readonly RowError[];
}

const defaultMaxErrors = 10_000;
const maxListed = 1_000;

/**
 * Imports the rows of a file: decodes and splits it, converts cells by the types of the schema, validates rows, and writes them to the sink in chunks. The
 * memory use does not depend on the size of the file, unless the format is `json`.
 *
 * @param file the bytes of the file, in chunks of any size
 * @throws {ProblemError} if the file cannot be read to its end or its header is invalid; IMPORT_REJECTED, TOO_MANY_ERRORS
 * @example
 * const { imported, errors } = await importRows(createReadStream("users.csv"), {
 *   schema: z.object({ name: z.string(), email: z.email() }),
 *   sink: { write: async (rows) => insert(rows.map(({ value }) => value)) },
 * });
 */
export async function importRows<S extends z.ZodObject>(file: AsyncIterable<Uint8Array>, options: ImportRowsOptions<S>): Promise<ImportRowsSummary> {
  check(options);
  const { sink, onError = "continue", maxErrors = defaultMaxErrors, signal, onProgress } = options;
  let summary: ImportRowsSummary = { imported: 0, failed: 0, errors: [] };
  const validateRow = compileValidateRow(options.schema);
  for await (const { rows, membersOf } of schemaRows(file, options)) {
    signal?.throwIfAborted();
    const validated = await Promise.all(rows.map((row) => validateRow(row, membersOf(row))));
    const { written, failed } = await writeValid(sink, rows, validated, onError);
    const imported = summary.imported + written;
    const [first] = failed;
    if (onError === "stop" && first !== undefined) throw rejection(first, whatWasImported(imported));
    summary = { imported, failed: summary.failed + failed.length, errors: listed(summary.errors, failed) };
    onProgress?.(summary);
    if (summary.failed > maxErrors) {
      const row = rows.at(-1)?.row;
      const detail = `More than ${maxErrors} rows failed; the import ended after row ${row}. ${whatWasImported(imported)}`;
      throw new ProblemError("TOO_MANY_ERRORS", detail, { extensions: { row } });
    }
  }
  return summary;
}

function listed(errors: readonly RowError[], failed: readonly FailedRow[]): readonly RowError[] {
  const left = failed.slice(0, maxListed - errors.length);
  return left.length === 0 ? errors : [...errors, ...left.map(({ row, faults }) => ({ ...row, faults }))];
}

/** Writes the valid rows to the sink; returns the failed rows in the order of the file. */
async function writeValid<Row>(
  sink: RowSink<Row>,
  rows: readonly SourceRow[],
  validated: readonly (ImportedRow<Row> | FailedRow)[],
  onError: "continue" | "stop",
): Promise<{ readonly written: number; readonly failed: readonly FailedRow[] }> {
  const valid = validated.filter((each) => "value" in each);
  const invalid = validated.filter((each) => "faults" in each);
  if (valid.length === 0 || (onError === "stop" && invalid.length > 0)) return { written: 0, failed: invalid };
  const refused = (await sink.write(valid)) ?? [];
  const byRow = new Map(valid.map(({ row }, index) => [row, refused[index]]));
  const failed = rows.flatMap((row, index) => {
    const fault = byRow.get(row.row);
    const known = validated[index];
    if (known !== undefined && "faults" in known) return [known];
    return fault === undefined ? [] : [failedRow(row, fault)];
  });
  return { written: rows.length - failed.length, failed };
}

function whatWasImported(rows: number): string {
  if (rows === 0) return "Nothing was imported.";
  return rows === 1 ? "One row was imported." : `${rows} rows were imported.`;
}

type ValidateRow<Row> = (row: SourceRow, read: JsonMembers) => Promise<ImportedRow<Row> | FailedRow>;

/** Compiles the validation of rows by a schema. */
function compileValidateRow<S extends z.ZodObject>(schema: S): ValidateRow<z.output<S>> {
  const validate = compileValidate(strictUnions(schema));
  const fields = introspectObject(schema);
  const converters = [...fields.values()].flatMap((field) => {
    const convert = inputConverter(field, givenDateTime);
    return convert === undefined ? [] : [{ name: field.name, convert }];
  });
  return async (row, read) => {
    if ("fault" in read) return failedRow(row, read.fault);
    const input: Record<string, unknown> = { ...read.members };
    const unknown: ProblemItem[] = [];
    for (const [name, value] of Object.entries(input)) {
      const field = fields.get(name);
      if (field !== undefined) unknownMembersIn(field, value, [name], true, unknown);
    }
    for (const { name, convert } of converters) if (Object.hasOwn(input, name)) input[name] = convert(input[name]);
    const validation = await validate(input);
    if (validation.ok && unknown.length === 0) return { row: row.row, line: row.line, value: validation.value as z.output<S> };
    const items = withoutRepeats([...unknown, ...(validation.ok ? [] : validation.items)]);
    return failedRow(row, ...faultsOf(new ProblemError("VALIDATION_FAILED", "", { errors: items })));
  };
}
