export { ClientGone } from "../http/clientGone.js";
export { ProblemError } from "../problem/index.js";
export type { BlobStore } from "../storage/blobs.js";
export { type CollectedFields, collectFields } from "./collectFields.js";
export { defaultMultipartLimits, type MultipartLimits } from "./multipartLimits.js";
export type { MultipartMessage, MultipartRequest } from "./multipartRequest.js";
export { type MultipartOptions, parseMultipart } from "./parseMultipart.js";
export type { FieldPart, FilePart, Part } from "./part.js";
