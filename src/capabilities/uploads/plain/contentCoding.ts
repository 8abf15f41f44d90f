import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import { ProblemError } from "../../../ground/problem/index.js";

/** Rejects content codings, because files are stored as sent. @throws {ProblemError} UNSUPPORTED_MEDIA_TYPE for a body with a content coding */
export function refuseCoding(headers: Pick<RequestHeaders, "get">): void {
  const coding = headers.get("content-encoding");
  if (coding === undefined || coding.trim().toLowerCase() === "identity") return;
  throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", `The body must have no content coding; got "${coding.slice(0, 64)}".`, {
    headers: { "accept-encoding": "identity" },
  });
}
