import { unauthenticated } from "../auth/authenticate.js";
import { anonymous } from "../auth/verifier.js";
import { checkPreconditions } from "../conditional/precondition.js";
import type { HttpResponse } from "../http/message.js";
import type { Context } from "../operation/context.js";
import type { Environment } from "../operation/environment.js";
import type { Operation } from "../operation/operation.js";
import { ProblemError } from "../problem/index.js";
import type { OpenApiOptions, VisibleTo } from "./options.js";
import { readConditions } from "./parameters/headers.js";
import type { Shapes } from "./shapes.js";

/** GET of the document, as its caller gets it. */
export function documentOperation(shapes: Shapes, { visibleTo = "everyone" }: OpenApiOptions, service: Environment): Operation {
  return {
    name: "openapi.read",
    method: "GET",
    safety: "safe",
    standsAlone: true,
    answers: "other",
    // Credentials are verified if there are any: they decide what the document shows.
    access: { action: "read", collection: undefined },
    allowsAnonymous: true,
    description: {
      summary: "The OpenAPI document",
      text: "Describes what the caller may do and see.",
      tag: "service",
      headers: readConditions,
      answers: [
        { status: 200, text: "The document.", headers: ["ETag"], bodies: [{ mediaType: "application/json", schema: { type: "object" } }] },
        { status: 304, text: "The document has not changed.", headers: ["ETag"] },
      ],
      codes: ["MALFORMED_HEADER", "PRECONDITION_FAILED", "UNAUTHENTICATED", "NOT_FOUND"],
    },
    async run(context) {
      await requireVisible(visibleTo, context, service);
      return answer(shapes, context);
    },
  };
}

/** @throws {ProblemError} UNAUTHENTICATED, NOT_FOUND */
async function requireVisible(visibleTo: VisibleTo, { principal, authRequest, environment }: Context, { verifiers }: Environment): Promise<void> {
  if (visibleTo === "everyone") return;
  if (visibleTo === "authenticated") {
    if (principal === anonymous) throw unauthenticated(environment.verifiers, authRequest);
  } else if (!(await visibleTo(principal))) {
    if (principal === anonymous && verifiers.length > 0) throw unauthenticated(verifiers, authRequest);
    throw new ProblemError("NOT_FOUND", "There is nothing at this path.");
  }
}

async function answer(shapes: Shapes, { principal, environment, headers }: Context): Promise<HttpResponse> {
  const { text, etag } = await shapes.sent(principal, environment.version?.name);
  const caching = principal === anonymous && environment.verifiers.length === 0 ? "no-cache" : "private, no-cache";
  const known = { etag, "cache-control": caching };
  switch (checkPreconditions({ method: "GET", headers, current: { tag: etag, updatedAt: undefined } })) {
    case "not-modified":
      return { status: 304, headers: known, body: null };
    case "failed":
      throw new ProblemError("PRECONDITION_FAILED", "The resource is not in the state that the request requires.", { headers: { etag } });
    default:
      return { status: 200, headers: { "content-type": "application/json", ...known }, body: text };
  }
}
