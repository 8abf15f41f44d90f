export { ProblemError } from "../../ground/problem/index.js";
export { type BatchOptions, batch } from "./capability.js";
export { type ExecuteBatchOptions, type ExecutedBatch, executeBatch, type ItemCall } from "./execute/execute.js";
export type { BatchMode, BatchResult, BatchSummary, IndexedResult, ItemResult } from "./execute/results/result.js";
export { acceptsMultipart } from "./multipart/acceptsMultipart.js";
export { boundaryFor } from "./multipart/multipartBoundary.js";
export {
  type FaultyOperation,
  type MultipartLimits,
  type MultipartOperation,
  type ParsedOperation,
  parseMultipartBatch,
} from "./multipart/parseMultipartBatch.js";
export type { PartResult } from "./multipart/partResult.js";
export { writeMultipartBatch } from "./multipart/writeMultipartBatch.js";
