import type { CsvHeader } from "../../formats/readHeader.js";
import type { TransferFormat } from "../../rows.js";

/** A received file: UTF-8 text without a byte-order mark. The object is stored as JSON in the input of the job. */
export interface ImportFile {
  readonly format: TransferFormat;
  /** The blob that contains it; `undefined` if it is in memory. If it is sealed, `dataKey` is its key, which is sealed itself. */
  readonly blob: { readonly key: string; readonly etag: string; readonly dataKey?: string | undefined } | undefined;
  /** Length of the text; of a sealed file, before it was sealed. */
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Number of rows, without the header. */
  readonly rows: number;
  /** The header of CSV. */
  readonly header: CsvHeader | undefined;
}
