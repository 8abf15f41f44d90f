import { camelCase } from "../../engine/description/schemaNames.js";
import type { JsonSchema } from "../../engine/operation/description.js";
import type { Environment } from "../../engine/operation/environment.js";
import type { Operation } from "../../engine/operation/operation.js";
import type { Verifier } from "../../parts/auth/verifier.js";

/** The schemes of a service, by name. */
export function securitySchemes(verifiers: readonly Verifier[]): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(verifiers.flatMap(schemesOf));
}

/** The alternatives of an operation: any of the schemes, and none for callers without credentials. */
export function securityOf(
  { verifiers, anonymousAllowed }: Environment,
  { access, isSigned, allowsAnonymous, verifier }: Operation,
): readonly object[] {
  if (access === undefined || verifiers.length === 0) return [];
  const alternatives = [...verifiers, ...(verifier === undefined ? [] : [verifier])].flatMap(schemesOf).map(([name]) => ({ [name]: [] }));
  return anonymousAllowed || allowsAnonymous || isSigned !== undefined ? [...alternatives, {}] : alternatives;
}

function schemesOf(verifier: Verifier): readonly (readonly [string, JsonSchema])[] {
  const { scheme, securityScheme, headers = [] } = verifier;
  if (securityScheme !== undefined) return [[camelCase(scheme), securityScheme]];
  switch (scheme.toLowerCase()) {
    case "basic":
    case "digest":
    case "bearer":
      return [[scheme.toLowerCase(), { type: "http", scheme: scheme.toLowerCase() }]];
    case "apikey":
      return [
        ["apiKey", { type: "apiKey", in: "header", name: "X-API-Key" }],
        ["apiKeyScheme", { type: "http", scheme: "ApiKey" }],
      ];
    case "aws4-hmac-sha256":
      return [["awsSigV4", { type: "apiKey", in: "header", name: "Authorization", "x-amazon-apigateway-authtype": "awsSigv4" }]];
    default:
      return [[camelCase(scheme), { type: "apiKey", in: "header", name: headers[0] ?? "Authorization" }]];
  }
}
