import type { ShownOperation } from "./operations.js";
import type { Spec, SpecScheme } from "./spec.js";

/** A scheme that signs each request, which a page cannot do. */
export interface SigningScheme {
  readonly title: string;
  /** What lets `curl` sign, with names in place of credentials. */
  readonly curl: string;
}

/** How a scheme signs requests; `undefined` if it sends credentials as they are. */
export function signingOf({ type, scheme, "x-amazon-apigateway-authtype": aws }: SpecScheme): SigningScheme | undefined {
  if (type === "http" && scheme?.toLowerCase() === "digest") return { title: "Digest", curl: "--digest --user 'NAME:PASSWORD'" };
  if (aws !== "awsSigv4") return undefined;
  return { title: "AWS Signature V4", curl: "--aws-sigv4 'aws:amz:REGION:SERVICE' --user 'ACCESS_KEY_ID:SECRET_ACCESS_KEY'" };
}

/** The schemes that sign, once each. */
export function signingSchemes({ components }: Spec): readonly SigningScheme[] {
  return Object.values(components?.securitySchemes ?? {}).flatMap((scheme) => signingOf(scheme) ?? []);
}

/** Schemes whose credentials a person can enter. */
export function enteredSchemes({ components }: Spec): readonly object[] {
  return Object.entries(components?.securitySchemes ?? {}).flatMap(([name, scheme]) => entered(name, scheme) ?? []);
}

function entered(name: string, scheme: SpecScheme): object | undefined {
  if (signingOf(scheme) !== undefined) return undefined;
  if (scheme.type === "http" && scheme.scheme !== undefined) return { name, scheme: scheme.scheme };
  return scheme.type === "apiKey" && scheme.in === "header" ? { name, header: scheme.name } : undefined;
}

/** What signs the requests of an operation, if it accepts nothing else; empty if a page can send it. */
export function signedOnly({ components }: Spec, { security = [] }: ShownOperation): readonly SigningScheme[] {
  const signing = security.map((alternative) =>
    Object.keys(alternative).flatMap((name) => signingOf(components?.securitySchemes?.[name] ?? {}) ?? []),
  );
  return signing.every((schemes) => schemes.length > 0) ? signing.flat() : [];
}
