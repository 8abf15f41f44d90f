import { ProblemError, type ProblemItem } from "../../ground/problem/index.js";

/**
 * Makes the problem for a client that accepts nothing of what is offered: 406, with all that is offered in `supported`.
 *
 * @param header the header that was negotiated: `Accept`, `Accept-Encoding`
 * @param supported what the client can ask for instead
 * @see RFC 9110 §15.5.7
 * @example
 * throw notAcceptable("Accept", ["application/json", "text/csv"]);
 */
export function notAcceptable(header: string, supported: readonly string[]): ProblemError {
  const detail = `Nothing that the header ${header} accepts can be sent; supported: ${supported.join(", ")}.`;
  const item: ProblemItem = { code: "NOT_ACCEPTABLE", detail, header, allowed: supported };
  return new ProblemError("NOT_ACCEPTABLE", detail, { errors: [item], extensions: { supported } });
}
