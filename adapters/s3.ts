export { s3Blobs } from "./stores/s3/blobs.js";
export type { S3Client, S3Request, S3Response } from "./stores/s3/call/client.js";
export { S3Error } from "./stores/s3/call/errors.js";
export type { S3Keys, S3Location, S3Options } from "./stores/s3/options.js";
