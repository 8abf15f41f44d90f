import type { RequestHeaders } from "../http/headers.js";
import { type MediaType, parseMediaType } from "../http/mediaType.js";
import type { FingerprintInput } from "./fingerprint.js";

/** What the headers of a request add to its fingerprint. */
export function requestHead(headers: RequestHeaders): Pick<FingerprintInput, "mediaType" | "handling"> {
  return { mediaType: mediaTypeOf(headers)?.type ?? "", handling: handlingOf(headers.get("prefer")) };
}

/** The media type of the body; `undefined` if there is none, or one that cannot be parsed. */
export function mediaTypeOf(headers: RequestHeaders): MediaType | undefined {
  const contentType = headers.get("content-type");
  return contentType === undefined ? undefined : parseMediaType(contentType);
}

/** The `handling` preference, in lower case. */
function handlingOf(prefer = ""): string {
  return /(?:^|[,;\s])handling\s*=\s*"?(strict|lenient)/i.exec(prefer)?.[1]?.toLowerCase() ?? "";
}
