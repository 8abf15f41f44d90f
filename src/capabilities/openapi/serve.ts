import { readConditions } from "../../engine/description/parameters/headers.js";
import { answerDocument, requireVisible, type SentDocuments } from "../../engine/operation/answers/sentDocuments.js";
import type { Environment } from "../../engine/operation/environment.js";
import type { Operation } from "../../engine/operation/operation.js";

/** GET of the document, as its caller gets it. */
export function documentOperation(documents: SentDocuments, service: Environment): Operation {
  return {
    name: "openapi.read",
    method: "GET",
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
      await requireVisible(documents.visibleTo, context, service);
      return answerDocument(context, await documents.sent(context), {
        "content-type": "application/json",
      });
    },
  };
}
