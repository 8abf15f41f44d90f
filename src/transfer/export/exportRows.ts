import type { RowEncoder } from "../../csv/rowEncoder.js";
import { yieldToEventLoop } from "../../http/yieldToEventLoop.js";
import { roomAfter } from "../../storage/roomAfter.js";

/** About how many characters a piece of a file has. */
const pieceLength = 65_536;
const maxRowsOfPiece = 1_000;
/** Rows of the first piece; few, so that it is ready early. */
const firstRows = 16;

/** Rows and their encoder. */
export interface ExportedRows {
  /** Batches of any size, in the order of the file. */
  readonly rows: AsyncIterable<readonly object[]>;
  readonly encoder: RowEncoder;
}

/**
 * The text of a file, in pieces of about 64 KiB or 1,000 rows. Rows are read only when the consumer takes the next piece; between two pieces it yields to the
 * event loop. If the consumer stops early, the iteration of the rows ends too.
 *
 * @example
 * const encoder = csvEncoder({ columns: [{ name: "id", path: ["id"] }] });
 * for await (const piece of exportRows({ rows, encoder })) file.write(piece);
 */
export async function* exportRows({ rows, encoder }: ExportedRows): AsyncGenerator<string, void, void> {
  let pending = encoder.begin();
  let maxRows = firstRows;
  for await (const batch of rows) {
    for (let start = 0; start < batch.length; ) {
      const end = endOfPiece(batch, start, maxRows);
      // The cast is for interfaces, which have no index signature.
      const slice = batch.slice(start, end) as Readonly<Record<string, unknown>>[];
      start = end;
      maxRows = maxRowsOfPiece;
      yield pending + encoder.encode(slice);
      pending = "";
      await yieldToEventLoop();
    }
  }
  yield pending + encoder.end();
}

/** Estimates the size of rows before they are encoded: after a thousand short rows there may be one of a megabyte. */
function endOfPiece(batch: readonly object[], start: number, maxRows: number): number {
  let room = pieceLength;
  let end = start;
  while (end < batch.length && end - start < maxRows) {
    room = roomAfter(batch[end], room);
    // A row that does not fit begins the next piece.
    if (room <= 0 && end > start) break;
    end += 1;
  }
  return end;
}
