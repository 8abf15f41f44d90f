import type { RowEncoder } from "../../../language/csv/rowEncoder.js";
import { formats } from "./transferFormat.js";

/** Writes rows as one JSON array with one item per line. */
export function jsonArrayEncoder(): RowEncoder {
  let separator = "\n";
  return {
    contentType: formats.json.mediaType,
    extension: formats.json.extension,
    begin: () => "[",
    encode: (rows) => {
      let text = "";
      for (const row of rows) {
        text += separator + JSON.stringify(row);
        separator = ",\n";
      }
      return text;
    },
    end: () => "\n]\n",
  };
}
