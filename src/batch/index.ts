export { ProblemError } from "../problem/index.js";
export { acceptsMultipart } from "./acceptsMultipart.js";
export { type BatchOptions, type ExecutedBatch, executeBatch, type ItemCall } from "./execute.js";
export { boundaryFor } from "./multipartBoundary.js";
export {
  type FaultyOperation,
  type MultipartLimits,
  type MultipartOperation,
  type ParsedOperation,
  parseMultipartBatch,
} from "./parseMultipartBatch.js";
export type { PartResult } from "./partResult.js";
export type { BatchMode, BatchResult, BatchSummary, IndexedResult, ItemResult } from "./result.js";
export { writeMultipartBatch } from "./writeMultipartBatch.js";
