export { s3Blobs } from "./s3/blobs.js";
export type { S3Client, S3Request, S3Response } from "./s3/call/client.js";
export { S3Error } from "./s3/call/errors.js";
export type { S3Keys, S3Location, S3Options } from "./s3/options.js";
