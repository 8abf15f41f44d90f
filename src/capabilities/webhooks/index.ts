export type { EmittedEvent } from "../../engine/operation/write/rowEvents.js";
export { ConfigurationError, type ProblemCode, ProblemError, type ProblemItem } from "../../ground/problem/index.js";
export { createSecretBox, type LocalSecretBox, type SecretBox } from "../../ground/secrets/secretBox.js";
export { SecretBoxError } from "../../ground/secrets/secretBoxError.js";
export { defaultScheduleMs, type EndedAttempt, nextAttempt } from "../events/backoff.js";
export {
  defaultEventBytes,
  type EventInput,
  type SerializedEvent,
  serializeEvent,
  serializeResourceEvent,
  type WebhookEvent,
} from "../events/event.js";
export { compileEventPatterns, type EventMatcher, matchEvent } from "../events/matchEvent.js";
export { type WebhookApi, webhooks } from "./capability.js";
export { checkAddress } from "./delivery/address.js";
export { type AttemptEnd, classify, internalDelayMs, type Verdict } from "./delivery/classify.js";
export { compileNetwork, type NetworkOptions, type NetworkPolicy } from "./delivery/network.js";
export { parseRetryAfter } from "./delivery/retryAfter.js";
export {
  type AttemptResult,
  bodyHeadBytes,
  type ClientCertificate,
  type Transport,
  type TransportErrorCode,
  type TransportRequest,
} from "./delivery/transport.js";
export { checkWebhookUrl } from "./delivery/url.js";
export { type EventVersions, eventVersions, type VersionTransforms } from "./events/eventVersions.js";
export { compileEventFilter, type EventFilter, type EventPredicate } from "./events/filter.js";
export type { WebhookOptions } from "./options.js";
export type { DisableRule } from "./settings.js";
export { generateSecret, parseSecret, type SecretRules, secretHint, verificationSecret, type WebhookSecret } from "./signing/secret.js";
export { type SignatureHeaders, type SigningInput, sign } from "./signing/sign.js";
export { type VerificationCode, WebhookVerificationError } from "./signing/verificationError.js";
export { type ReceivedEvent, type ReceivedWebhook, verifyWebhook } from "./signing/verify.js";
export type { ReceivedHeaders } from "./signing/verifyHeaders.js";
