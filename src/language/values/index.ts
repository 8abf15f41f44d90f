export { type BytesOptions, bytes } from "./bytes.js";
export { date } from "./date.js";
export { type DecimalOptions, decimal } from "./decimal.js";
