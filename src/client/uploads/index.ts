export type { UploadedFile } from "../types/client.js";
export type { UploadOptions, UploadProgress, UploadRetry, UploadStorage } from "./options.js";
export { startUpload, type Upload, type UploadClient } from "./startUpload.js";
export { UploadRejectedError } from "./transfer.js";
