export { etagOf } from "./calls/index.js";
export type { ApiOf, Capability, Closable, CrossOrigin, Dependency, Destination, Host, OpenCapability, RequestCount } from "./capability/index.js";
export type { Clock } from "./ground/clock/clock.js";
export type {
  Handle,
  HttpRequest,
  HttpResponse,
  RawHeaders,
  RequestBody,
  ResponseBody,
  ResponseHeaders,
  UnreadLimit,
} from "./ground/http/message.js";
export { defaultLimits, type Limits } from "./ground/limits/limits.js";
export {
  ConfigurationError,
  codes,
  type OwnProblemItem,
  type OwnProblemOptions,
  type ProblemCode,
  type ProblemDocument,
  ProblemError,
  type ProblemItem,
  type ProblemOptions,
  problem,
} from "./ground/problem/index.js";
export * from "./ground/storage/index.js";
export type { FieldAccess, FieldRule } from "./language/schema/access.js";
export type { Context } from "./operation/context.js";
export type { Environment } from "./operation/environment.js";
export type { Ids } from "./operation/ids.js";
export type { Logger } from "./operation/logger.js";
export type { Offer, Offers } from "./operation/offers.js";
export type { Operation } from "./operation/operation.js";
export type { PrincipalOptions } from "./operation/principals.js";
export type { Random } from "./operation/random.js";
export type { Inherited } from "./operation/references/inherited.js";
export type { Route } from "./operation/route.js";
export type { ScopeAction, ScopeQuestion, StampQuestion, Within } from "./operation/rules/rowRules.js";
export type { RowEvents, RowWrite } from "./operation/write/rowEvents.js";
export type { Action, Authorization, AuthorizationQuestion, Authorize } from "./parts/auth/authorize.js";
export {
  type AuthRequest,
  anonymous,
  type Failure,
  type Found,
  failure,
  type Principal,
  type Verdict,
  type Verifier,
} from "./parts/auth/verifier.js";
export type {
  ActionBuilder,
  ActionCall,
  ActionMap,
  ActionOptions,
  ActionProblem,
  ActionResult,
  ActionSchema,
  ActionTarget,
  ResourceAction,
  Responded,
  RowActionCall,
} from "./resource/actions.js";
export type { RowActionOptions } from "./resource/callTypes/actionTypes.js";
export type { ServerChanges } from "./resource/callTypes/inputTypes.js";
export type { RowFile } from "./resource/callTypes/rowFile.js";
export type { RuleCalls, RuleTransaction } from "./resource/callTypes/ruleTransaction.js";
export type { Calls, CallTransactionOptions, Page, ServiceCalls, Shop, SystemOptions, Transaction } from "./resource/callTypes/types.js";
export { defineResource } from "./resource/define/define.js";
export { extend, type ResourceRules } from "./resource/define/extend.js";
export type { ComingWrite, DoneWrite, HookCall, HookResult, Hooks } from "./resource/hooks.js";
export type {
  CreateCall,
  FieldName,
  OperationName,
  ResourceBatchOptions,
  ResourceEvent,
  ResourceImportOptions,
  ResourceOptions,
} from "./resource/options.js";
export { type BelongsTo, belongsTo, type HasMany, hasMany, type Relation } from "./resource/relations/relation.js";
export type { Resource, ResourceRow } from "./resource/resource.js";
export type { DefinedTypes, ExtendedTypes, ResourceTypes } from "./resource/resourceTypes.js";
export { type ScopeAnswer, type ScopeRule, type StampOption, type StampRule, within } from "./resource/rules.js";
export type { EventName, EventPattern, EventSubscriptions, EventsMatching, TypedEvent, TypedService } from "./resource/typedEvents.js";
export {
  type CloseOptions,
  createService,
  type Health,
  type IdempotencyOptions,
  type ListOptions,
  type Readiness,
  type Service,
  type ServiceOptions,
  type TenantChoice,
} from "./service/index.js";
