import { setImmediate as turn } from "node:timers/promises";
import { locateJsonFault } from "../../http/locateJsonFault.js";
import { ProblemError } from "../../problem/index.js";
import type { RowChunk, SourceRow } from "../rows.js";
import { type JsonItem, jsonItems } from "./jsonItems.js";
import { parseJsonRow, tooLargeFault, unusableRow } from "./jsonRow.js";
import type { JsonRowOptions } from "./ndjsonRows.js";
import { RowChunks } from "./rowChunks.js";
import type { JsonRowLimits } from "./rowLimits.js";

/**
 * The items of the array that a JSON text in UTF-8 is. Whether it is one at all is judged before the first row is given; an item that is no row has a fault.
 *
 * @param bytes The whole file, also where `from` leaves its first rows out.
 * @throws {ProblemError} EMPTY_FILE; MALFORMED_JSON, with `line`, where it is no JSON, no array or nested too deeply
 * @see RFC 8259 §5
 */
export async function* jsonArrayRows(bytes: Uint8Array, options: JsonRowOptions): AsyncGenerator<RowChunk, void, undefined> {
  const { from, limits } = options;
  await requireJsonArray(bytes, limits);
  const chunks = new RowChunks(options, from);
  let row = 0;
  for (const item of jsonItems(bytes)) {
    row += 1;
    if (row <= from.row) continue;
    chunks.add(readItem(bytes, item, row, limits), item.line, item.end);
    yield* chunks.take();
  }
  yield* chunks.flush();
}

/** So many bytes are judged at a stretch before others have their turn. */
const bytesATurn = 1_048_576;

/**
 * Judges whether a JSON text in UTF-8 is an array. Item by item: parsed all at once, a file of 10 MB could become some hundred.
 *
 * @throws {ProblemError} EMPTY_FILE; MALFORMED_JSON, with `line`, where it is no JSON, no array or nested too deeply
 */
export async function requireJsonArray(bytes: Uint8Array, limits: Pick<JsonRowLimits, "depth">): Promise<void> {
  const items = jsonItems(bytes);
  let turnAt = bytesATurn;
  for (let next = items.next(); ; next = items.next()) {
    if (next.done === true) {
      if (!next.value) throw notArray(bytes);
      return;
    }
    const { line, depth, end } = next.value;
    // Before anything parses it: a megabyte of brackets takes that tens of milliseconds.
    if (depth > limits.depth) throw malformed(`Arrays and objects in line ${line} and behind are nested deeper than ${limits.depth} levels.`, line);
    try {
      JSON.parse(textOf(bytes, next.value));
    } catch (cause) {
      throw notArray(bytes, cause);
    }
    if (end < turnAt) continue;
    turnAt = end + bytesATurn;
    await turn();
  }
}

function readItem(bytes: Uint8Array, item: JsonItem, row: number, limits: JsonRowLimits): SourceRow {
  const text = textOf(bytes, item);
  const place = { row, line: item.line };
  return item.end - item.start > limits.rowBytes ? unusableRow(text, place, tooLargeFault(limits.rowBytes)) : parseJsonRow(text, place, limits);
}

function textOf(bytes: Uint8Array, { start, end }: JsonItem): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8", start, end);
}

function notArray(bytes: Uint8Array, cause?: unknown): ProblemError {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8").trimEnd();
  const first = text.trimStart()[0];
  if (first === undefined) return new ProblemError("EMPTY_FILE", "The file is empty; it must be an array of objects.");
  if (first !== "[") {
    return malformed("The file is no array. Send an array of objects, or one object a line as application/x-ndjson.", 1);
  }
  const { what, line, column } = locateJsonFault(text);
  return malformed(`The file is not JSON: ${what} at line ${line}, column ${column}.`, line, cause);
}

function malformed(detail: string, line: number, cause?: unknown): ProblemError {
  return new ProblemError("MALFORMED_JSON", detail, { extensions: { line }, cause });
}
