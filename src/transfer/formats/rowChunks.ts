import type { Position, RowChunk, SourceRow } from "../rows.js";

/** How rows are bundled: a chunk ends with the row that reaches either. */
export interface ChunkSize {
  /** Rows of a chunk; 1,000 unless said otherwise. */
  readonly chunkRows?: number | undefined;
  /** Bytes of a chunk, as they stand in the file; 65,536 unless said otherwise. */
  readonly chunkBytes?: number | undefined;
}

/** Bundles rows. Where chunks end depends on the rows alone, never on the parts in which a file arrives. */
export class RowChunks {
  readonly #chunkRows: number;
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
   * @param line Line in or after which the row behind it begins.
   * @param byte Bytes of the file up to its end.
   */
  add(row: SourceRow, line: number, byte: number): void {
    this.#rows.push(row);
    this.#line = line;
    this.#byte = byte;
    if (this.#rows.length >= this.#chunkRows || byte - this.#begin >= this.#chunkBytes) this.#close();
  }

  /** The chunks that have become full since the last time. */
  take(): readonly RowChunk[] {
    const full = this.#full;
    if (full.length > 0) this.#full = [];
    return full;
  }

  /** All that is left. */
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
