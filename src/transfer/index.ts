export type { CsvColumn, RowEncoder } from "./encoder.js";
export { type ExportedRows, exportRows } from "./exportRows.js";
export { type CsvEncoderOptions, csvEncoder } from "./formats/csvEncoder.js";
export { jsonArrayEncoder } from "./formats/jsonArrayEncoder.js";
export { ndjsonEncoder } from "./formats/ndjsonEncoder.js";
