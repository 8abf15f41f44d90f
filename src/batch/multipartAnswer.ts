import type { HttpResponse } from "../http/message.js";
import { boundaryFor } from "./multipartBoundary.js";
import type { PartResult } from "./partResult.js";
import type { IndexedResult } from "./result.js";
import { writeMultipartBatch } from "./writeMultipartBatch.js";

/** The answer to a batch that came as multipart: each result is an answer of its own. */
export function multipartAnswer(results: readonly IndexedResult[]): Pick<HttpResponse, "body" | "headers"> {
  const parts = results.map(partOf);
  const boundary = boundaryFor(parts);
  return { headers: { "content-type": `multipart/mixed; boundary=${boundary}` }, body: writeMultipartBatch(parts, boundary) };
}

function partOf({ index, name, status, headers = {}, data, error }: IndexedResult): PartResult {
  const body = error ?? data;
  const type = error === undefined ? "application/json" : "application/problem+json";
  return {
    name,
    index,
    status,
    headers: body === undefined ? headers : { "content-type": type, ...headers },
    body: body === undefined ? null : JSON.stringify(body),
  };
}
