export type { Action, Authorization, AuthorizationQuestion, Authorize } from "./auth/authorize.js";
export {
  type ApiKeyOptions,
  type AuthRequest,
  anonymous,
  apiKey,
  type BasicCredentials,
  type BasicOptions,
  type BearerOptions,
  basic,
  bearer,
  equalSecrets,
  type Failure,
  type Found,
  failure,
  hashApiKey,
  type Principal,
  type Verdict,
  type Verifier,
} from "./auth/index.js";
export type { Handle, HttpRequest, HttpResponse, RawHeaders, RequestBody, ResponseBody, ResponseHeaders } from "./http/message.js";
export { defaultLimits, type Limits } from "./limits/limits.js";
export type { Clock } from "./operation/clock.js";
export type { Ids } from "./operation/ids.js";
export type { Logger } from "./operation/logger.js";
export type { Random } from "./operation/random.js";
export {
  ConfigurationError,
  codes,
  type ProblemCode,
  type ProblemDocument,
  ProblemError,
  type ProblemItem,
  type ProblemOptions,
} from "./problem/index.js";
export { defineResource } from "./resource/define.js";
export {
  type BelongsTo,
  belongsTo,
  type CreateCall,
  type FieldName,
  type HasMany,
  hasMany,
  type OperationName,
  type Relation,
  type ResourceBatchOptions,
  type ResourceEvent,
  type ResourceImportOptions,
  type ResourceOptions,
} from "./resource/options.js";
export type { Resource, ResourceRow } from "./resource/resource.js";
export type { FieldAccess, FieldRule } from "./schema/access.js";
export {
  type BatchOptions,
  createService,
  type Health,
  type IdempotencyOptions,
  type JobOptions,
  type ListOptions,
  type Readiness,
  type Service,
  type ServiceOptions,
} from "./service/index.js";
export type { WebhookOptions } from "./service/options.js";
export * from "./storage/index.js";
export type { FormOptions, ReadyFile, UploadOptions, Visibility } from "./uploads/options.js";
export type { EmittedEvent } from "./webhooks/emission.js";
export type { NetworkOptions, NetworkPolicy } from "./webhooks/network.js";
export type { DisableRule } from "./webhooks/settings.js";
export type { AttemptResult, ClientCertificate, Transport, TransportErrorCode, TransportRequest } from "./webhooks/transport.js";
