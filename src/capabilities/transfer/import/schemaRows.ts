import type { z } from "zod";
import { ByteCollector } from "../../../ground/http/body/byteCollector.js";
import { defaultLimits, type Limits } from "../../../ground/limits/limits.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { quote } from "../../../ground/problem/quote.js";
import { unescapeFormula } from "../../../language/csv/formula.js";
import { daysOf } from "../../../language/query/values/day.js";
import { introspectObject } from "../../../language/schema/introspect.js";
import { csvRows } from "../formats/csvRows.js";
import { expand } from "../formats/expand.js";
import { jsonArrayRows } from "../formats/jsonArrayRows.js";
import { ndjsonRows } from "../formats/ndjsonRows.js";
import { columnNames } from "../formats/readHeader.js";
import { utf8Text } from "../formats/utf8Text.js";
import { beginning, type Position, type RowFault, type RowSource, type SourceRow } from "../rows.js";
import { compileColumns, type ImportTarget } from "./columns/columns.js";
import { type JsonMembers, jsonMembers } from "./columns/jsonMembers.js";
import { recordOf } from "./columns/members.js";
import { arrayTooLarge, jsonRowLimits } from "./file/fileRows.js";
import type { ImportRowsOptions } from "./importRows.js";

/** Rows, and how to read their members. */
export interface ReadRows {
  readonly rows: readonly SourceRow[];
  membersOf(row: SourceRow): JsonMembers;
}

/** Reads the rows of a file, and converts cells by the types of a schema. */
export async function* schemaRows<S extends z.ZodObject>(
  file: AsyncIterable<Uint8Array>,
  options: ImportRowsOptions<S>,
): AsyncGenerator<ReadRows, void, undefined> {
  const { format = "csv", gzip = false, charset, offset = 0 } = options;
  const limits: Limits = { ...defaultLimits, ...options.limits };
  const text = utf8Text(gzip ? expand(file, { limitBytes: limits.importBytes }) : file, { charset });
  const read = format === "csv" ? readCsv(text, options, limits) : readJson(text, format, options, limits);
  for await (const { rows, membersOf } of read) {
    const left = rows.filter(({ row }) => row > offset);
    if (left.length > 0) yield { rows: left, membersOf };
  }
}

async function* readCsv<S extends z.ZodObject>(
  text: AsyncIterable<Uint8Array>,
  options: ImportRowsOptions<S>,
  limits: Limits,
): AsyncGenerator<ReadRows, void, undefined> {
  const { map = {}, unknownColumns = "error", delimiter = ",", formulas, schema, timeZone = "UTC" } = options;
  const csv = { delimiter, limits: { rowBytes: limits.importRowBytes, columns: limits.importColumns } };
  let membersOf: ReadRows["membersOf"] | undefined;
  for await (const { rows } of csvRows(text, { ...csv, from: beforeHeader })) {
    if (membersOf === undefined) {
      const [header, ...others] = rows;
      const names = columnNames(header, csv.limits);
      const undo = formulas === "escaped" ? unescapeFormula : undefined;
      const readRecord = compileColumns(names, targetOf(schema), { map, unknownColumns }, daysOf(timeZone), undo);
      membersOf = (row) => recordOf(row, names, readRecord, limits);
      yield { rows: others, membersOf };
    } else {
      yield { rows, membersOf };
    }
  }
  if (membersOf === undefined) throw new ProblemError("EMPTY_FILE", "The file is empty; a CSV file must begin with a header.");
}

/** The header is returned as row 0. */
const beforeHeader: Position = { ...beginning, row: -1 };

async function* readJson<S extends z.ZodObject>(
  text: AsyncIterable<Uint8Array>,
  format: "ndjson" | "json",
  { map = {}, unknownColumns = "error", schema }: ImportRowsOptions<S>,
  limits: Limits,
): AsyncGenerator<ReadRows, void, undefined> {
  const { fields } = targetOf(schema);
  const settings = { from: beginning, limits: jsonRowLimits(limits) };
  const chunks: RowSource =
    format === "ndjson" ? ndjsonRows(text, settings) : jsonArrayRows(await collected(text, limits.importArrayBytes), settings);
  const isLeftOut = (name: string) => !fields.has(name);
  const membersOf: ReadRows["membersOf"] = (row) => {
    const read = jsonMembers(row, map, unknownColumns === "ignore" ? isLeftOut : undefined);
    const unknown = "members" in read ? Object.keys(read.members).find(isLeftOut) : undefined;
    return unknown === undefined ? read : { fault: unknownMember(unknown) };
  };
  for await (const { rows } of chunks) yield { rows, membersOf };
}

async function collected(text: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array> {
  const collector = new ByteCollector();
  for await (const chunk of text) {
    if (collector.length + chunk.length > limitBytes) throw arrayTooLarge(limitBytes);
    collector.add(chunk);
  }
  return collector.bytes();
}

function unknownMember(name: string): RowFault {
  return { code: "VALIDATION_FAILED", detail: `Unknown member ${quote(name)}.`, field: name.slice(0, 256) };
}

function targetOf(schema: z.ZodObject): ImportTarget {
  const fields = introspectObject(schema);
  const required = [...fields.values()].filter(({ optional, hasDefault }) => !optional && !hasDefault).map(({ name }) => name);
  return { fields, required, refuse: () => undefined };
}
