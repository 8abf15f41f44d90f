import fc from "fast-check";
import type { SourceRow } from "../../../../src/capabilities/transfer/rows.js";

interface Cell {
  readonly text: string;
  readonly isQuoted: boolean;
}

interface Row {
  readonly cells: readonly Cell[];
  /** Its own line end, and those of blank lines behind it. */
  readonly lineEnds: readonly string[];
}

/** A file of CSV, and what is in it. */
export interface CsvFile {
  readonly text: string;
  readonly rows: readonly SourceRow[];
  readonly lines: number;
}

const delimiter = ",";
const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
const text = fc.string({ unit: fc.constantFrom("a", "é", "語", "😀", "1", " ", ",", '"', "\n", "\r", "'", "=", "\t", "\\", "\0"), maxLength: 6 });
const row: fc.Arbitrary<Row> = fc.record({
  cells: fc.array(fc.record({ text, isQuoted: fc.boolean() }), { minLength: 1, maxLength: 4 }),
  lineEnds: fc.array(lineEnd, { minLength: 1, maxLength: 3 }),
});

/** Well-formed files: with quotes where they must be and where they need not, with line ends of all kinds, blank lines, and perhaps no line end at the end. */
export const csvFiles: fc.Arbitrary<CsvFile> = fc
  .record({ before: fc.array(lineEnd, { maxLength: 2 }), rows: fc.array(row, { maxLength: 6 }), isCut: fc.boolean() })
  .map(({ before, rows, isCut }) => write(before, rows, isCut));

function write(before: readonly string[], rows: readonly Row[], isCut: boolean): CsvFile {
  const file = new Writer();
  file.endLines(before);
  const written = rows.map(({ cells, lineEnds }, index) => {
    const isLast = index === rows.length - 1;
    return file.add(cells, index + 1, isLast && isCut ? [] : lineEnds);
  });
  return { text: file.text, rows: written, lines: file.line - (file.endsLine ? 1 : 0) };
}

class Writer {
  text = "";
  line = 1;

  get endsLine(): boolean {
    return /^$|[\r\n]$/.test(this.text);
  }

  add(cells: readonly Cell[], number: number, lineEnds: readonly string[]): SourceRow {
    const isQuoted = cells.map((cell) => cell.isQuoted || /[",\r\n]/.test(cell.text) || (cells.length === 1 && cell.text === ""));
    const empty = cells.flatMap((cell, index) => (isQuoted[index] && cell.text === "" ? [index] : []));
    const { line } = this;
    this.text += cells.map((cell, index) => (isQuoted[index] ? `"${cell.text.replaceAll('"', '""')}"` : cell.text)).join(delimiter);
    for (const cell of cells) this.line += cell.text.match(/\r\n|\n|\r/g)?.length ?? 0;
    this.endLines(lineEnds);
    return { row: number, line, cells: cells.map((cell) => cell.text), quotedEmpty: empty.length > 0 ? new Set(empty) : undefined };
  }

  endLines(lineEnds: readonly string[]): void {
    for (const end of lineEnds) {
      // Behind a carriage return a line feed would end no line of its own.
      this.text += this.text.endsWith("\r") && end === "\n" ? "\r\n" : end;
      this.line += 1;
    }
  }
}
