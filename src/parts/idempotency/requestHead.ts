import type { RequestHeaders } from "../../ground/http/headers/headers.js";
import type { FingerprintInput } from "./fingerprint.js";

/** What the headers of a request add to its fingerprint. */
export function requestHead(headers: RequestHeaders): Pick<FingerprintInput, "mediaType" | "handling"> {
  return { mediaType: headers.mediaType?.type ?? "", handling: handlingOf(headers.get("prefer")) };
}

/** The `handling` preference, in lower case. */
function handlingOf(prefer = ""): string {
  return /(?:^|[,;\s])handling\s*=\s*"?(strict|lenient)/i.exec(prefer)?.[1]?.toLowerCase() ?? "";
}
