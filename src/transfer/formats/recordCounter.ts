import type { TransferFormat } from "../rows.js";
import { CsvCounter } from "./csvCounter.js";
import { JsonArrayCounter } from "./jsonArrayCounter.js";
import { NdjsonCounter } from "./ndjsonCounter.js";

/** Counts what the rows of a file will be while its UTF-8 text passes by. Of a file that is malformed it counts something. */
export interface RecordCounter {
  /** Records that have ended by now. */
  readonly row: number;
  /** Line that the next byte stands in, the first being 1. */
  readonly line: number;
  add(bytes: Uint8Array): void;
  /** The whole file; the header of CSV is a record like any other. Nothing may be added any more. */
  end(): RecordCount;
}

export interface RecordCount {
  readonly records: number;
  /** Also those that are blank. */
  readonly lines: number;
}

/** A counter for a file of this format. */
export function recordCounter(format: TransferFormat): RecordCounter {
  switch (format) {
    case "csv":
      return new CsvCounter();
    case "ndjson":
      return new NdjsonCounter();
    case "json":
      return new JsonArrayCounter();
  }
}
