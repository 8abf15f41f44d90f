export { type ApiKeyOptions, apiKey, hashApiKey } from "./apiKey.js";
export { authenticate, unauthenticated } from "./authenticate.js";
export { type BasicCredentials, type BasicOptions, basic } from "./basic.js";
export { type BearerOptions, bearer } from "./bearer.js";
export { equalSecrets } from "./secret.js";
export { type AuthRequest, anonymous, type Failure, type Found, failure, type Principal, type Verdict, type Verifier } from "./verifier.js";
