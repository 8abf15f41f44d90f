import type { JsonLimits } from "../../http/json.js";

/** The most that a row may be; each is allowed itself. */
export interface CsvLimits {
  /** Bytes of a row as it stands in the file, without its line end. */
  readonly rowBytes: number;
  /** Columns of a header. */
  readonly columns: number;
}

/** The most that a row may be; each is allowed itself. */
export interface JsonRowLimits extends JsonLimits {
  /** Bytes of a row as it stands in the file, without its line end. */
  readonly rowBytes: number;
}
