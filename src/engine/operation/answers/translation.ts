import type { HttpRequest, ResponseHeaders } from "../../../ground/http/message.js";
import type { ProblemDocument, ProblemError } from "../../../ground/problem/index.js";
import type { Offer } from "../offers.js";

/** A problem in a language of the client, and the headers that say so. */
export interface TranslatedProblem {
  readonly document: ProblemDocument;
  readonly headers: ResponseHeaders;
}

/** Translates a problem that answers a request, or one of its items. Never throws. */
export type TranslateProblem = (problem: ProblemError, document: ProblemDocument, request: HttpRequest) => TranslatedProblem;

/** What the capability `languages()` offers to the core. */
export const translation: Offer<TranslateProblem> = { name: "languages" };
