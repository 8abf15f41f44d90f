export { ConfigurationError, type ProblemCode, ProblemError, type ProblemItem } from "../problem/index.js";
export { createSecretBox, type LocalSecretBox, type SecretBox } from "../secrets/secretBox.js";
export { SecretBoxError } from "../secrets/secretBoxError.js";
export { checkAddress } from "./address.js";
export { defaultScheduleMs, type EndedAttempt, nextAttempt } from "./backoff.js";
export { type AttemptEnd, classify, internalDelayMs, type Verdict } from "./classify.js";
export { defaultEventBytes, type EventInput, type SerializedEvent, serializeEvent, serializeResourceEvent, type WebhookEvent } from "./event.js";
export { compileEventFilter, type EventFilter, type EventPredicate } from "./filter.js";
export { compileEventPatterns, type EventMatcher, matchEvent } from "./matchEvent.js";
export { compileNetwork, type NetworkOptions, type NetworkPolicy } from "./network.js";
export { parseRetryAfter } from "./retryAfter.js";
export { generateSecret, parseSecret, type SecretRules, secretHint, verificationSecret, type WebhookSecret } from "./secret.js";
export { type SignatureHeaders, type SigningInput, sign } from "./sign.js";
export {
  type AttemptResult,
  bodyHeadBytes,
  type ClientCertificate,
  type Transport,
  type TransportErrorCode,
  type TransportRequest,
} from "./transport.js";
export { checkWebhookUrl } from "./url.js";
export { type VerificationCode, WebhookVerificationError } from "./verificationError.js";
export { type ReceivedWebhook, verifyWebhook } from "./verify.js";
export type { ReceivedHeaders } from "./verifyHeaders.js";
