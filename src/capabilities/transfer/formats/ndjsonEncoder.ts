import type { RowEncoder } from "../../../language/csv/rowEncoder.js";
import { formats } from "./transferFormat.js";

/**
 * Writes rows as NDJSON: one object per line.
 *
 * @see https://github.com/ndjson/ndjson-spec
 */
export function ndjsonEncoder(): RowEncoder {
  return {
    contentType: formats.ndjson.mediaType,
    extension: formats.ndjson.extension,
    begin: () => "",
    encode: (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    end: () => "",
  };
}
