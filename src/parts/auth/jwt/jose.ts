import type * as Jose from "jose";
import { optionalPackage } from "../../../ground/options/optionalPackage.js";

/** What is used of the package, once {@link loadJose} has ended. */
export let jwtVerify: typeof Jose.jwtVerify;
export let createLocalJWKSet: typeof Jose.createLocalJWKSet;
export let createRemoteJWKSet: typeof Jose.createRemoteJWKSet;
export let customFetch: typeof Jose.customFetch;
export let errors: typeof Jose.errors;

const load = /* @__PURE__ */ optionalPackage(() => import("jose"), { name: "jose", version: "6", neededBy: "bearerJwt" });

/** @throws {ConfigurationError} if the package is not installed */
export async function loadJose(): Promise<void> {
  ({ jwtVerify, createLocalJWKSet, createRemoteJWKSet, customFetch, errors } = await load());
}
