import type { Position, RowChunk, SourceRow } from "../rows.js";

/** The size of chunks: a chunk ends with the row that reaches either limit. */
export interface ChunkSize {
  /** Rows per chunk (default 1,000), or a function that is asked at each row. */
  readonly chunkRows?: number | (() => number) | undefined;
  /** Bytes of the file per chunk (default 65,536). */
  readonly chunkBytes?: number | undefined;
}

/** Groups rows into chunks. Their ends depend on the rows and `chunkRows`, not on the parts in which the file arrives. */
export class RowChunks {
  readonly #chunkRows: number | (() => number);
  readonly #chunkBytes: number;
  #full: RowChunk[] = [];
  #rows: SourceRow[] = [];
  /** Bytes of the file before the rows of this chunk. */
  #begin: number;
  #line: number;
  #byte: number;

  constructor({ chunkRows = 1_000, chunkBytes = 65_536 }: ChunkSize, from: Position) {
    this.#chunkRows = chunkRows;
    this.#chunkBytes = chunkBytes;
    this.#begin = from.byte;
    this.#line = from.line;
    this.#byte = from.byte;
  }

  /**
   * Adds the next row.
   *
   * @param line the next row begins in this line or a later one
   * @param byte bytes of the file up to the end of the row
   */
  add(row: SourceRow, line: number, byte: number): void {
    this.#rows.push(row);
    this.#line = line;
    this.#byte = byte;
    const chunkRows = typeof this.#chunkRows === "number" ? this.#chunkRows : this.#chunkRows();
    if (this.#rows.length >= chunkRows || byte - this.#begin >= this.#chunkBytes) this.#close();
  }

  /** Returns the chunks that were completed since the last call. */
  take(): readonly RowChunk[] {
    const full = this.#full;
    if (full.length > 0) this.#full = [];
    return full;
  }

  /** Ends the current chunk and returns all remaining chunks. */
  flush(): readonly RowChunk[] {
    this.#close();
    return this.take();
  }

  #close(): void {
    const last = this.#rows.at(-1);
    if (last === undefined) return;
    this.#full.push({ rows: this.#rows, next: { row: last.row, line: this.#line, byte: this.#byte } });
    this.#rows = [];
    this.#begin = this.#byte;
  }
}
