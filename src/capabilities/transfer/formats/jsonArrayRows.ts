import { turnIsOver, yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { RowChunk, SourceRow } from "../rows.js";
import { type JsonItem, jsonItems } from "./jsonItems.js";
import { type JsonRowLimits, keptBytes, parseJsonRow, sizeFault, unusableRow } from "./jsonRow.js";
import { JsonScanner } from "./jsonScanner.js";
import { textFaultAt } from "./jsonTextFault.js";
import type { JsonRowOptions } from "./ndjsonRows.js";
import { RowChunks } from "./rowChunks.js";

const openingBracket = 0x5b;
const space = 0x20;

/**
 * Reads the items of a JSON array in UTF-8. The whole text is validated before the first row is returned. An item that is not an object, or larger than a row
 * may be, becomes a row with a fault.
 *
 * @param bytes the whole file, even if `from` skips its first rows
 * @throws {ProblemError} EMPTY_FILE; MALFORMED_JSON, with `line`, if the text is not JSON or not an array
 * @see RFC 8259 §5
 */
export async function* jsonArrayRows(bytes: Uint8Array, options: JsonRowOptions): AsyncGenerator<RowChunk, void, undefined> {
  await requireJsonArray(bytes);
  yield* validatedArrayRows(bytes, options);
}

/**
 * Reads the items of an array that `requireJsonArray` has validated.
 *
 * @param bytes the whole file, even if `from` skips its first rows
 */
export async function* validatedArrayRows(bytes: Uint8Array, options: JsonRowOptions): AsyncGenerator<RowChunk, void, undefined> {
  const { from, limits } = options;
  const chunks = new RowChunks(options, from);
  let row = 0;
  for (const item of jsonItems(bytes)) {
    if (turnIsOver()) await yieldToEventLoop();
    if (item === undefined) continue;
    row += 1;
    if (row <= from.row) continue;
    chunks.add(readItem(bytes, item, row, limits), item.line, item.end);
    yield* chunks.take();
  }
  yield* chunks.flush();
}

/**
 * Validates that a text in UTF-8 is a JSON array. Does not parse it into values: a file of 10 MB could take some hundred megabytes of memory.
 *
 * @throws {ProblemError} EMPTY_FILE; MALFORMED_JSON, with `line`, if the text is not JSON or not an array
 */
export async function requireJsonArray(bytes: Uint8Array): Promise<void> {
  const items = jsonItems(bytes);
  let next = items.next();
  for (; next.done !== true; next = items.next()) if (turnIsOver()) await yieldToEventLoop();
  if (next.value === undefined) return;
  await yieldToEventLoop();
  throw notArray(bytes, next.value);
}

function readItem(bytes: Uint8Array, item: JsonItem, row: number, limits: JsonRowLimits): SourceRow {
  const location = { row, line: item.line };
  const fault = sizeFault({ ...item, bytes: item.end - item.start }, limits);
  if (fault === undefined) return parseJsonRow(textOf(bytes, item), location, limits);
  return unusableRow(textOf(bytes, { ...item, end: Math.min(item.end, item.start + keptBytes) }), location, fault);
}

function textOf(bytes: Uint8Array, { start, end }: JsonItem): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8", start, end);
}

/** @param at index of the first byte that is not part of a JSON array */
function notArray(bytes: Uint8Array, at: number): ProblemError {
  const scanner = new JsonScanner(bytes);
  scanner.skipSpace();
  if (scanner.at === bytes.length) return new ProblemError("EMPTY_FILE", "The file is empty; it must be an array of objects.");
  if (!scanner.take(openingBracket)) {
    return malformed("The file is not a JSON array. Send an array of objects, or one object per line as application/x-ndjson.", 1);
  }
  const { what, line, column } = textFaultAt(at === bytes.length ? withoutSpace(bytes) : bytes, at);
  return malformed(`The file is not JSON: ${what} at line ${line}, column ${column}.`, line);
}

/** The text without white space at its end, so that the fault of an incomplete text points to its last token. */
function withoutSpace(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] ?? 0) <= space) end -= 1;
  return bytes.subarray(0, end);
}

function malformed(detail: string, line: number): ProblemError {
  return new ProblemError("MALFORMED_JSON", detail, { extensions: { line } });
}
