import { Readable } from "node:stream";
import { Parser } from "csv-parse";
import Papa from "papaparse";

/** Reads a file of CSV and passes its rows on, the header first; waits for the promise that `add` returns. */
export type ReadCsv = (file: Buffer, add: (rows: readonly (readonly string[])[]) => Promise<void>) => Promise<void>;

const pieceBytes = 65_536;

function* piecesOf(file: Buffer): Generator<Buffer, void, void> {
  for (let at = 0; at < file.length; at += pieceBytes) yield file.subarray(at, at + pieceBytes);
}

/** With the settings that read every line end, and end at a quote that is never closed. */
export const withCsvParse: ReadCsv = async (file, add) => {
  let rows: string[][] = [];
  const parser = new Parser({
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: 1_000_000,
    on_record(cells: string[]) {
      rows.push(cells);
      return undefined;
    },
  });
  parser.resume();
  const flush = async () => {
    const ready = rows;
    rows = [];
    await add(ready);
  };
  for (const piece of piecesOf(file)) {
    await new Promise<void>((resolve, reject) => parser.write(piece, (error) => (error ? reject(error) : resolve())));
    await flush();
  }
  await new Promise((resolve) => parser.end(resolve));
  await flush();
};

/** Papa Parse knows one kind of line end a file, and has no limit for a row. */
export const withPapaParse: ReadCsv = (file, add) =>
  new Promise((resolve, reject) => {
    let added = Promise.resolve();
    Papa.parse<string[]>(Readable.from(textOf(file)), {
      delimiter: ",",
      skipEmptyLines: true,
      chunk({ data, errors }, parser) {
        if (errors[0] !== undefined) return parser.abort();
        parser.pause();
        added = add(data).then(() => parser.resume());
        added.catch(reject);
      },
      complete: ({ errors }) => (errors?.[0] === undefined ? added.then(resolve, reject) : reject(new Error(errors[0].message))),
      error: reject,
    });
  });

/** Its own decoding breaks characters between two pieces. */
function* textOf(file: Buffer): Generator<string, void, void> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (const piece of piecesOf(file)) yield decoder.decode(piece, { stream: true });
}
