export { type FormatsOptions, formats } from "./capability.js";
export { type CsvOptions, csv } from "./csv.js";
export type { Format, ReadBody, SentBody } from "./format.js";
export { ndjson } from "./ndjson.js";
