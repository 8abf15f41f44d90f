export type { JwtAlgorithm } from "./algorithms.js";
export { bearerJwt } from "./bearerJwt.js";
export type { Jwk, JwkSet, JwtKey } from "./localKeys.js";
export type { BearerJwtOptions, JwksRefresh } from "./options.js";
export type { JwtClaims } from "./principal.js";
