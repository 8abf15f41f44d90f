import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import type { RowEncoder } from "../../../language/csv/rowEncoder.js";

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
  let text = encoder.begin();
  let maxRows = firstRows;
  for await (const batch of rows) {
    let count = 0;
    for (const row of batch) {
      // The cast is for interfaces, which have no index signature.
      const next = encoder.encode([row as Readonly<Record<string, unknown>>]);
      // A row that does not fit begins the next piece: after a thousand short rows there may be one of a megabyte.
      if (count === maxRows || (count > 0 && text.length + next.length > pieceLength)) {
        yield text;
        await yieldToEventLoop();
        text = "";
        count = 0;
        maxRows = maxRowsOfPiece;
      }
      text += next;
      count += 1;
    }
    if (count === 0) continue;
    yield text;
    await yieldToEventLoop();
    text = "";
    maxRows = maxRowsOfPiece;
  }
  yield text + encoder.end();
}
