import type { CsvHeader } from "./formats/readHeader.js";
import type { TransferFormat } from "./rows.js";

/** A file as it is kept: UTF-8 text without a byte-order mark. All of it is JSON. */
export interface ImportFile {
  readonly format: TransferFormat;
  /** Where it is kept; `undefined` where it is in memory. */
  readonly blob: { readonly key: string; readonly etag: string } | undefined;
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
  /** Rows, without the header. */
  readonly rows: number;
  /** Of CSV. */
  readonly header: CsvHeader | undefined;
}
