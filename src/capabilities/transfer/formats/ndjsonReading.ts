import { ByteCollector } from "../../../ground/http/body/byteCollector.js";
import { type JsonRowLimits, keptBytes, parseJsonRow, tooLargeFault, unusableRow } from "./jsonRow.js";
import type { JsonRowOptions } from "./ndjsonRows.js";
import { RowChunks } from "./rowChunks.js";

const lineFeed = 0x0a;
const space = 0x20;

/** Reads NDJSON that arrives in parts, and tracks the position in the file. */
export class NdjsonReading {
  readonly chunks: RowChunks;
  readonly #limits: JsonRowLimits;
  /** The unfinished line. */
  #open = new ByteCollector();
  /** The beginning of an unfinished line that is too long; the rest of it is dropped. */
  #overlong: string | undefined;
  /** Bytes of the file before `#open`. */
  #byte: number;
  #row: number;
  #line: number;

  constructor({ from, limits, ...size }: JsonRowOptions) {
    this.chunks = new RowChunks(size, from);
    this.#limits = limits;
    this.#byte = from.byte;
    this.#row = from.row;
    this.#line = from.line;
  }

  add(bytes: Uint8Array): void {
    const rest = this.#overlong === undefined ? bytes : this.#skipOverlong(bytes);
    const end = rest.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      this.#open.add(rest.subarray(0, end));
      this.#readLines(this.#open.bytes());
      this.#open = new ByteCollector();
    }
    if (end < rest.length) {
      this.#open.add(rest.subarray(end));
      this.#limitOpen();
    }
  }

  end(): void {
    if (this.#overlong !== undefined) this.#addOverlong();
    else if (this.#open.length > 0) this.#readLines(this.#open.bytes());
  }

  /** @param bytes complete lines; the last line of the file may have no line end */
  #readLines(bytes: Uint8Array): void {
    // Decoding all lines at once is faster than decoding each, and JSON.parse reads a slice as fast as a string of its own.
    const text = decode(bytes);
    const isAscii = text.length === bytes.length;
    for (let at = 0; at < text.length; ) {
      const end = text.indexOf("\n", at);
      const next = end === -1 ? text.length : end + 1;
      const line = text.slice(at, end === -1 ? undefined : end);
      this.#byte += isAscii ? next - at : Buffer.byteLength(line) + (end === -1 ? 0 : 1);
      this.#readLine(line);
      at = next;
    }
  }

  #readLine(line: string): void {
    const location = { row: this.#row + 1, line: this.#line };
    this.#line += 1;
    if (isBlank(line)) return;
    this.#row += 1;
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    const row = isLonger(text, this.#limits.rowBytes)
      ? unusableRow(text, location, tooLargeFault(this.#limits.rowBytes))
      : parseJsonRow(text, location, this.#limits);
    this.chunks.add(row, this.#line, this.#byte);
  }

  /** Of a line that is already too long, keeps only the beginning, without leading white space. */
  #limitOpen(): void {
    const { rowBytes } = this.#limits;
    if (this.#open.length <= rowBytes) return;
    const bytes = this.#open.bytes();
    const text = bytes.subarray(countBlank(bytes));
    // One more byte is allowed: it may be the carriage return of the line end.
    const isOverlong = text.length > rowBytes + 1;
    this.#byte += bytes.length - (isOverlong ? 0 : text.length);
    this.#open = new ByteCollector();
    if (isOverlong) this.#overlong = decode(text.subarray(0, keptBytes));
    else if (text.length > 0) this.#open.add(text);
  }

  /** Returns the bytes after the line that is too long. */
  #skipOverlong(bytes: Uint8Array): Uint8Array {
    const end = bytes.indexOf(lineFeed) + 1;
    this.#byte += end === 0 ? bytes.length : end;
    if (end === 0) return bytes.subarray(bytes.length);
    this.#addOverlong();
    return bytes.subarray(end);
  }

  #addOverlong(): void {
    this.#row += 1;
    const row = unusableRow(this.#overlong ?? "", { row: this.#row, line: this.#line }, tooLargeFault(this.#limits.rowBytes));
    this.#line += 1;
    this.#overlong = undefined;
    this.chunks.add(row, this.#line, this.#byte);
  }
}

/** Whether a line contains only JSON white space. */
function isBlank(line: string): boolean {
  return line.charCodeAt(0) > space ? false : /^[ \t\r]*$/.test(line);
}

/** The number of white-space bytes at the beginning. */
function countBlank(bytes: Uint8Array): number {
  let blank = 0;
  while (bytes[blank] === space || bytes[blank] === 0x09 || bytes[blank] === 0x0d) blank += 1;
  return blank;
}

/** Whether a text has more bytes than the limit; leading white space does not count. */
function isLonger(text: string, limitBytes: number): boolean {
  return 3 * text.length > limitBytes && Buffer.byteLength(text.replace(/^[ \t\r]+/, "")) > limitBytes;
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
