import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import { isJson, type MediaType } from "../../ground/http/headers/mediaType.js";
import { parseJson } from "../../ground/http/json/json.js";
import type { RequestBody } from "../../ground/http/message.js";
import { type FingerprintInput, fingerprintOf } from "./fingerprint.js";
import { multipartDigest } from "./multipart.js";
import { requestHead } from "./requestHead.js";

/** A complete body. */
export type ReadBody = Exclude<RequestBody, { readonly kind: "stream" }>;

/** A request with its body. */
export interface WholeRequest {
  readonly method: string;
  /** Path and raw query, including the mount. */
  readonly target: string;
  readonly headers: RequestHeaders;
  readonly body: ReadBody;
}

/** JSON up to this size is compared by its value. */
const parsedBytes = 1_048_576;
const jsonLimits = { depth: 512, members: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

/**
 * The fingerprint of a request.
 *
 * @throws {ProblemError} MALFORMED_JSON for a value that a host has parsed and that is nested too deeply
 */
export function requestFingerprint({ method, target, headers, body }: WholeRequest): string {
  return fingerprintOf({ ...requestHead(headers), method, target, body: digestible(body, headers.mediaType) });
}

function digestible(body: ReadBody, mediaType: MediaType | undefined): FingerprintInput["body"] {
  if (body.kind === "none") return undefined;
  if (body.kind === "parsed") return { json: body.value };
  const { bytes } = body;
  if (mediaType !== undefined && isJson(mediaType.type) && bytes.length <= parsedBytes) return jsonOf(bytes);
  const boundary = mediaType?.type.startsWith("multipart/") ? mediaType.parameters["boundary"] : undefined;
  return { bytes: (boundary !== undefined && multipartDigest(bytes, boundary)) || bytes };
}

/** A body that is not JSON is hashed as bytes; the handler of the request validates it. */
function jsonOf(bytes: Uint8Array): FingerprintInput["body"] {
  try {
    return { json: parseJson(bytes, jsonLimits) };
  } catch {
    return { bytes };
  }
}
