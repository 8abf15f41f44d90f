import { CsvError } from "csv-parse";
import { parse } from "csv-parse/sync";
import { CsvScanner } from "../../../../src/capabilities/transfer/formats/csvScanner.js";
import { beginning } from "../../../../src/capabilities/transfer/rows.js";
import { integer, pick, type Random } from "../../../fuzz/random.js";

/** A file, how it is written, and the parts in which it arrives. */
export interface JudgedFile {
  readonly text: string;
  readonly delimiter: string;
  /** Bytes of a part. */
  readonly size: number;
}

/** What a reader found in a file. */
export interface Reading {
  readonly rows: readonly { readonly cells: readonly string[]; readonly end: number }[];
  readonly fault: { readonly code: string; readonly column: number } | undefined;
}

const special = ['"', '""', "\n", "\r", "\r\n"];
// Without NUL, which csv-parse accepts after the quotes of a cell, where no other character is allowed.
const plain = ["a", "b", " ", "1", "é", "語", "😀", "\uFEFF", "'", ",", ";", "|", "\t"];
const delimiters = [",", ";", "|", "\t"] as const;
const maxLength = 40;
const maxCells = 12;

/** A file with everything that CSV gives a meaning to; every second one has quotes only around cells, most others are not well-formed. */
export function randomFile(random: Random): JudgedFile {
  const delimiter = pick(random, delimiters);
  const anything = [delimiter, ...special, ...plain] as const;
  const text = integer(random, 2) === 0 ? randomText(random, anything, maxLength) : randomCells(random, delimiter);
  return { text, delimiter, size: 1 + integer(random, maxLength) };
}

function randomCells(random: Random, delimiter: string): string {
  const inQuotes = [delimiter, ...special.slice(1), ...plain] as const;
  const outside = ["a", ...plain.filter((character) => character !== delimiter)] as const;
  const ends = [delimiter, delimiter, delimiter, "\n", "\r\n", "\r"] as const;
  const cells = Array.from({ length: integer(random, maxCells) }, () => {
    const cell = integer(random, 2) === 0 ? `"${randomText(random, inQuotes, 20)}"` : randomText(random, outside, 20);
    return cell + pick(random, ends);
  });
  return cells.join("");
}

function randomText(random: Random, units: readonly [string, ...string[]], length: number): string {
  return Array.from({ length: integer(random, length) }, () => pick(random, units)).join("");
}

const faults: Readonly<Record<string, string>> = {
  INVALID_OPENING_QUOTE: "BAD_QUOTE",
  CSV_INVALID_CLOSING_QUOTE: "BAD_QUOTE",
  CSV_QUOTE_NOT_CLOSED: "QUOTE_NOT_CLOSED",
};

/** What `csv-parse` finds. */
export function judge({ text, delimiter }: JudgedFile): Reading {
  const rows: { cells: string[]; end: number }[] = [];
  try {
    parse(Buffer.from(text), {
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      skip_empty_lines: true,
      relax_column_count: true,
      on_record(cells: string[], { bytes }) {
        rows.push({ cells, end: bytes });
        return undefined;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { rows, fault: { code: faults[error.code] ?? error.code, column: Number(error["column"]) + 1 } };
  }
  return { rows, fault: undefined };
}

/** What the scanner finds. */
export function scan({ text, delimiter, size }: JudgedFile): Reading {
  const bytes = Buffer.from(text);
  const scanner = new CsvScanner({ delimiter, from: beginning, limits: { rowBytes: 1_000_000, columns: 1_000 }, chunkRows: 1 });
  let fault: ReturnType<CsvScanner["add"]>;
  for (let at = 0; at < bytes.length && fault === undefined; at += size) fault = scanner.add(bytes.subarray(at, at + size));
  fault ??= scanner.end();
  const rows = scanner.chunks.flush().map(({ rows: [row], next }) => ({ cells: row?.cells ?? [], end: next.byte }));
  return { rows, fault: fault === undefined ? undefined : { code: fault.code, column: Number(fault.extensions["column"]) } };
}
