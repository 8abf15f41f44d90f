import { ByteCollector } from "../../http/byteCollector.js";
import { parseJsonRow, tooLargeFault, unusableRow } from "./jsonRow.js";
import type { JsonRowOptions } from "./ndjsonRows.js";
import { RowChunks } from "./rowChunks.js";
import type { JsonRowLimits } from "./rowLimits.js";

const lineFeed = 0x0a;
const space = 0x20;
/** Enough for the text of a row that is not usable. */
const keptBytes = 4_096;

/** Where a reader of NDJSON stands in a file. */
export class NdjsonReading {
  readonly chunks: RowChunks;
  readonly #limits: JsonRowLimits;
  /** The line that has not ended. */
  #open = new ByteCollector();
  /** The beginning of a line that is too long; the rest of it is not kept. */
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

  /** @param bytes Whole lines; at the end of the file the last one may lack its end. */
  #readLines(bytes: Uint8Array): void {
    // One string for all is cheaper than one a line, which the parser reads just as fast where it is a part of a longer one.
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
    const place = { row: this.#row + 1, line: this.#line };
    this.#line += 1;
    if (isBlank(line)) return;
    this.#row += 1;
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    const row = isLonger(text, this.#limits.rowBytes)
      ? unusableRow(text, place, tooLargeFault(this.#limits.rowBytes))
      : parseJsonRow(text, place, this.#limits);
    this.chunks.add(row, this.#line, this.#byte);
  }

  /** Keeps only the beginning of a line that is too long whatever follows, and of white space nothing. */
  #limitOpen(): void {
    const { rowBytes } = this.#limits;
    if (this.#open.length <= rowBytes) return;
    const bytes = this.#open.bytes();
    const text = bytes.subarray(countBlank(bytes));
    // One byte more may be the carriage return of its end.
    const isOverlong = text.length > rowBytes + 1;
    this.#byte += bytes.length - (isOverlong ? 0 : text.length);
    this.#open = new ByteCollector();
    if (isOverlong) this.#overlong = decode(text.subarray(0, keptBytes));
    else if (text.length > 0) this.#open.add(text);
  }

  /** What follows the end of the line that is too long. */
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

/** Whether a line holds nothing but the white space of JSON. */
function isBlank(line: string): boolean {
  return line.charCodeAt(0) > space ? false : /^[ \t\r]*$/.test(line);
}

/** How much white space bytes begin with. */
function countBlank(bytes: Uint8Array): number {
  let blank = 0;
  while (bytes[blank] === space || bytes[blank] === 0x09 || bytes[blank] === 0x0d) blank += 1;
  return blank;
}

/** Whether a text has more bytes than that; white space before it does not count. */
function isLonger(text: string, limitBytes: number): boolean {
  return 3 * text.length > limitBytes && Buffer.byteLength(text.replace(/^[ \t\r]+/, "")) > limitBytes;
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
