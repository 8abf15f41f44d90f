import { setImmediate as turn } from "node:timers/promises";
import type { RowEncoder } from "./encoder.js";

/** Characters that a piece of a file should have. */
const pieceLength = 65_536;
const mostRows = 1_000;
/** Rows of the first piece, before anybody knows how long they are. */
const firstRows = 16;

/** Rows, and what makes text of them. */
export interface ExportedRows {
  /** Batches of any size, in the order of the file. */
  readonly rows: AsyncIterable<readonly object[]>;
  readonly encoder: RowEncoder;
}

/**
 * The text of a file, in pieces of about 64 KiB or of 1,000 rows. Rows are read as pieces are taken, others have their turn between two pieces, and
 * ending the iteration early ends that of the rows.
 *
 * @example
 * const encoder = await csvEncoder({ columns: [{ name: "id", path: ["id"] }] });
 * for await (const piece of exportRows({ rows, encoder })) file.write(piece);
 */
export async function* exportRows({ rows, encoder }: ExportedRows): AsyncGenerator<string, void, void> {
  let pending = encoder.begin();
  let size = firstRows;
  for await (const batch of rows) {
    for (let start = 0; start < batch.length; ) {
      // An interface has no index signature, though every object can be asked for a member.
      const slice = batch.slice(start, start + size) as Readonly<Record<string, unknown>>[];
      const text = encoder.encode(slice);
      start += slice.length;
      yield pending + text;
      pending = "";
      size = rowsPerPiece(text.length / slice.length);
      await turn();
    }
  }
  yield pending + encoder.end();
}

function rowsPerPiece(averageLength: number): number {
  return Math.max(1, Math.min(mostRows, Math.floor(pieceLength / Math.max(1, averageLength))));
}
