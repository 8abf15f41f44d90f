export { etagOf } from "./engine/calls/index.js";
export type {
  ApiOf,
  Capability,
  Closable,
  CrossOrigin,
  Dependency,
  Destination,
  Host,
  OpenCapability,
  RequestCount,
} from "./engine/capability/index.js";
export type { Context } from "./engine/operation/context.js";
export type { Environment } from "./engine/operation/environment.js";
export type { Ids } from "./engine/operation/ids/ids.js";
export type { Logger } from "./engine/operation/logging/logger.js";
export type { Offer, Offers } from "./engine/operation/offers.js";
export type { Operation } from "./engine/operation/operation.js";
export type { PrincipalOptions } from "./engine/operation/principals.js";
export type { Random } from "./engine/operation/random.js";
export type { Inherited } from "./engine/operation/references/inherited.js";
export type { Route } from "./engine/operation/route.js";
export type { ScopeAction, ScopeQuestion, StampQuestion, Within } from "./engine/operation/rules/rowRules.js";
export type { RowEvents, RowWrite } from "./engine/operation/write/rowEvents.js";
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
} from "./engine/resource/actions.js";
export type { RowActionOptions } from "./engine/resource/callTypes/actionTypes.js";
export type { ServerChanges } from "./engine/resource/callTypes/inputTypes.js";
export type { RowFile } from "./engine/resource/callTypes/rowFile.js";
export type { RuleCalls, RuleTransaction } from "./engine/resource/callTypes/ruleTransaction.js";
export type { Calls, CallTransactionOptions, Page, ServiceCalls, Shop, SystemOptions, Transaction } from "./engine/resource/callTypes/types.js";
export { defineResource } from "./engine/resource/define/define.js";
export { extend, type ResourceRules } from "./engine/resource/define/extend.js";
export type { ComingWrite, DoneWrite, HookCall, HookResult, Hooks } from "./engine/resource/hooks.js";
export type {
  CreateCall,
  FieldName,
  OperationName,
  ResourceBatchOptions,
  ResourceEvent,
  ResourceImportOptions,
  ResourceOptions,
} from "./engine/resource/options.js";
export { type BelongsTo, belongsTo, type HasMany, hasMany, type Relation } from "./engine/resource/relations/relation.js";
export type { Resource, ResourceRow } from "./engine/resource/resource.js";
export type { DefinedTypes, ExtendedTypes, ResourceTypes } from "./engine/resource/resourceTypes.js";
export { type ScopeAnswer, type ScopeRule, type StampOption, type StampRule, within } from "./engine/resource/rules.js";
export type { EventName, EventPattern, EventSubscriptions, EventsMatching, TypedEvent, TypedService } from "./engine/resource/typedEvents.js";
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
} from "./engine/service/index.js";
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
