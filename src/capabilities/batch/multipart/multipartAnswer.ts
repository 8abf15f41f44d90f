import { joinBytes, writeJson } from "../../../ground/http/json/writeJson.js";
import type { HttpResponse } from "../../../ground/http/message.js";
import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import type { IndexedResult } from "../execute/results/result.js";
import { collectBoundaryNumbers, freeBoundary } from "./multipartBoundary.js";
import type { PartResult, WrittenResult } from "./partResult.js";
import { hasContent, writeEnd, writeMultipartBatch, writePartHead } from "./writeMultipartBatch.js";

/** The response to a multipart batch: each result is a part with its own response. Written part by part, with yields to the event loop. */
export async function multipartAnswer(results: readonly IndexedResult[]): Promise<Pick<HttpResponse, "body" | "headers">> {
  const taken = new Set<string>();
  const parts = await mapInTurns(results, async (result) => {
    const part = await partOf(result);
    collectBoundaryNumbers(part, taken);
    return part;
  });
  const boundary = freeBoundary(taken);
  const headers = { "content-type": `multipart/mixed; boundary=${boundary}` };
  if (isLight(parts)) return { headers, body: writeMultipartBatch(parts, boundary) };
  const pieces = (await mapInTurns(parts, (part) => piecesOf(part, boundary))).flat();
  return { headers, body: await joinBytes([...pieces, Buffer.from(writeEnd(boundary))]) };
}

/** Characters of bodies that are written without yielding. */
const atOnce = 65_536;

function isLight(parts: readonly WrittenResult[]): parts is readonly PartResult[] {
  let length = 0;
  for (const { body } of parts) length += body === null ? 0 : body.length;
  return length <= atOnce && parts.every(({ body }) => !(body instanceof Uint8Array));
}

async function partOf({ index, name, status, headers = {}, data, error }: IndexedResult): Promise<WrittenResult> {
  const body = error ?? data;
  const type = error === undefined ? "application/json" : "application/problem+json";
  return {
    name,
    index,
    status,
    headers: body === undefined ? headers : { "content-type": type, ...headers },
    body: body === undefined ? null : await writeJson(body as object),
  };
}

function piecesOf(part: WrittenResult, boundary: string): readonly Uint8Array[] {
  const head = writePartHead(part, boundary);
  const body = hasContent(part) ? (part.body ?? "") : "";
  return typeof body === "string" ? [Buffer.from(`${head}${body}\r\n`)] : [Buffer.from(head), body, lineBreak];
}

const lineBreak = Buffer.from("\r\n");
