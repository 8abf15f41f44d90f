export { type ApiKeyOptions, apiKey, hashApiKey } from "./apiKey.js";
export { type AccessKey, type SigV4Options, sigv4 } from "./aws4/sigv4.js";
export { type BasicCredentials, type BasicOptions, basic } from "./basic.js";
export { type BearerOptions, bearer } from "./bearer.js";
export { type DigestAlgorithm, type DigestPassword, digestHa1 } from "./digest/algorithm.js";
export { type DigestOptions, type DigestUser, digest } from "./digest/digest.js";
export { equalSecrets } from "./secret.js";
export { signedBody } from "./signedBody.js";
export type { ArrivedBody, AuthBody, AuthRequest, Failure, Found, Principal, SignedBody, Verdict, Verifier } from "./verifier.js";
