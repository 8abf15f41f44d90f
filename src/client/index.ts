export type { ListMeta } from "../engine/resource/read/envelope.js";
export { type Attempt, attempt } from "./attempt.js";
export type { BatchOptions, BatchResult } from "./calls/batch.js";
export type { ExportedRows } from "./calls/export.js";
export type { FailedRow, FailedRowsOptions, FileFormat, ImportedFile, ImportJob, ImportOptions, ImportResult } from "./calls/import.js";
export type { Job, JobState } from "./calls/job.js";
export type { RowWalk } from "./calls/walk.js";
export type { LeftRow, RemovedRow, RowEvent, StreamState, WrittenRow } from "./calls/watch.js";
export { createClient } from "./createClient.js";
export {
  ApiError,
  AuthenticationError,
  ClientError,
  ConflictError,
  type ErrorCode,
  ForbiddenError,
  JobFailedError,
  NetworkError,
  NotFoundError,
  PreconditionFailedError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  TooManyRowsError,
  UnexpectedAnswerError,
  ValidationError,
} from "./errors.js";
export type { CallOptions, ClientOptions, Deprecation, GuardedOptions, ReceivedResponse, SentRequest, WriteOptions } from "./options.js";
export { etagOf } from "./rowTags.js";
export type { Batch, BatchAnswer, BatchOperation } from "./types/batch.js";
export type { Client, ServiceTypes, UploadedFile } from "./types/client.js";
export type { ApiErrorOf, ErrorCodeOf } from "./types/errors.js";
export type { LiveRows, LiveSnapshot, LiveState } from "./types/live.js";
export type {
  DeliveryDocument,
  DeliveryQuery,
  DeliveryWithAttempts,
  NewWebhook,
  Webhook,
  WebhookCalls,
  WebhookTest,
  WebhookWithSecret,
} from "./types/webhooks.js";
export type { Reference } from "./types/wire.js";
