import type { z } from "zod";
import { ByteCollector } from "../http/byteCollector.js";
import { defaultLimits, type Limits } from "../limits/limits.js";
import { ProblemError } from "../problem/index.js";
import { quoted } from "../query/fault.js";
import { introspectObject } from "../schema/introspect.js";
import { compileColumns, type ImportTarget } from "./columns.js";
import { arrayTooLarge, jsonRowLimits } from "./fileRows.js";
import { csvRows } from "./formats/csvRows.js";
import { expand } from "./formats/expand.js";
import { unescapeFormula } from "./formats/formula.js";
import { jsonArrayRows } from "./formats/jsonArrayRows.js";
import { ndjsonRows } from "./formats/ndjsonRows.js";
import { requireColumns } from "./formats/readHeader.js";
import { utf8Text } from "./formats/utf8Text.js";
import type { ImportRowsOptions } from "./importRows.js";
import { type JsonMembers, jsonMembers } from "./jsonMembers.js";
import { cellsFault } from "./members.js";
import { beginning, type Position, type RowFault, type RowSource, type SourceRow } from "./rows.js";

/** Rows, and what they say of the members of the schema. */
export interface ReadRows {
  readonly rows: readonly SourceRow[];
  membersOf(row: SourceRow): Members;
}

/** What a row says, or why it says nothing. */
export type Members = JsonMembers;

/** The rows of a file, read by the types of a schema. */
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
  const { map = {}, unknownColumns = "error", delimiter = ",", formulas, schema } = options;
  const csv = { delimiter, limits: { rowBytes: limits.importRowBytes, columns: limits.importColumns } };
  let membersOf: ReadRows["membersOf"] | undefined;
  for await (const { rows } of csvRows(text, { ...csv, from: beforeHeader })) {
    if (membersOf === undefined) {
      const [header, ...others] = rows;
      const names = (header?.cells ?? []).map((cell) => cell.trim());
      requireColumns(names, csv.limits);
      const readRecord = compileColumns(names, targetOf(schema), { map, unknownColumns }, formulas === "escaped" ? unescapeFormula : undefined);
      membersOf = (row) => {
        const fault = cellsFault(row, names);
        return fault === undefined ? { members: readRecord(row.cells ?? [], row.quotedEmpty) } : { fault };
      };
      yield { rows: others, membersOf };
    } else {
      yield { rows, membersOf };
    }
  }
  if (membersOf === undefined) throw new ProblemError("EMPTY_FILE", "The file is empty; a file of CSV begins with a header.");
}

/** The header is no row. */
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
  return { code: "VALIDATION_FAILED", detail: `Unknown member ${quoted(name)}.`, field: name.slice(0, 256) };
}

function targetOf(schema: z.ZodObject): ImportTarget {
  const fields = introspectObject(schema);
  const required = [...fields.values()].filter(({ optional, hasDefault }) => !optional && !hasDefault).map(({ name }) => name);
  return { fields, required, refuse: () => undefined };
}
