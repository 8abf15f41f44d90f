import type { HttpResponse } from "../../../ground/http/message.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { checkPreconditions } from "../../../language/conditional/precondition.js";
import { unauthenticated } from "../../../parts/auth/authenticate.js";
import { anonymous, type Principal } from "../../../parts/auth/verifier.js";
import type { Context } from "../context.js";
import type { Environment } from "../environment.js";
import type { Offer } from "../offers.js";
import { nothingHere } from "../permit.js";

/** A document as it is sent. */
export interface SentDocument {
  readonly text: string;
  /** A strong entity tag. */
  readonly etag: string;
}

/** Who gets a document: everyone, callers with credentials (others get 401), or those for whom a function says so (others get 404). */
export type VisibleTo = "everyone" | "authenticated" | ((principal: Principal) => boolean | Promise<boolean>);

/** Who asks for a document, and where. */
export type Asking = Pick<Context, "principal" | "environment" | "request">;

/** The OpenAPI documents of a service, for other capabilities. */
export interface SentDocuments {
  /** Where they are served; `false` for nowhere. */
  readonly path: string | false;
  readonly visibleTo: VisibleTo;
  /** The document of a caller, which names the address that it was asked at. Callers with the same rights get the same one, with the same tag. */
  sent(context: Asking): Promise<SentDocument>;
}

/** What is at the first segment of the path of the document, and at that of its pages, which may be the same. */
export const describedThere = "the API is described there";

/** Without the capability, the service has no document. */
export const sentDocuments: Offer<SentDocuments> = { name: "openapi" };

/**
 * Refuses callers who may not see a document.
 *
 * @throws {ProblemError} UNAUTHENTICATED, NOT_FOUND
 */
export async function requireVisible(
  visibleTo: VisibleTo,
  { principal, authRequest, environment }: Context,
  { verifiers }: Environment,
): Promise<void> {
  if (visibleTo === "everyone") return;
  if (visibleTo === "authenticated") {
    if (principal === anonymous) throw unauthenticated(environment.verifiers, authRequest);
  } else if (!(await visibleTo(principal))) {
    if (principal === anonymous && verifiers.length > 0) throw unauthenticated(verifiers, authRequest);
    throw nothingHere();
  }
}

/**
 * The answer with a document, or 304. Shared caches keep it only if there are no credentials.
 *
 * @throws {ProblemError} MALFORMED_HEADER, PRECONDITION_FAILED
 */
export function answerDocument(
  { principal, environment, headers }: Context,
  { text, etag }: SentDocument,
  described: Readonly<Record<string, string>>,
): HttpResponse {
  const caching = principal === anonymous && environment.verifiers.length === 0 ? "no-cache" : "private, no-cache";
  const known = { etag, "cache-control": caching };
  switch (checkPreconditions({ method: "GET", headers, current: { tag: etag, updatedAt: undefined } })) {
    case "not-modified":
      return { status: 304, headers: known, body: null };
    case "failed":
      throw new ProblemError("PRECONDITION_FAILED", "The resource is not in the state that the request requires.", { headers: { etag } });
    default:
      return { status: 200, headers: { ...described, ...known }, body: text };
  }
}
