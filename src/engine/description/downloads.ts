import type { DescribedAnswer, DescribedParameter } from "../operation/description.js";
import { text, whole } from "./schemas/object.js";

const fileHeaders = ["ETag", "Last-Modified", "Accept-Ranges", "Content-Range", "Content-Disposition", "Content-Security-Policy"];

/** The answers with the bytes of a file. */
export const fileAnswers: readonly DescribedAnswer[] = [
  { status: 200, text: "The file.", headers: fileHeaders, bodies: [{ mediaType: "*/*" }] },
  { status: 206, text: "The part of the file that `Range` asks for.", headers: fileHeaders, bodies: [{ mediaType: "*/*" }] },
  { status: 304, text: "The file has not changed.", headers: fileHeaders },
];

/** Request headers of downloads. */
export const fileRequestHeaders: readonly DescribedParameter[] = [
  { name: "Range", text: "`bytes=0-499`: a part of the file.", schema: text },
  { name: "If-Range", text: "The ETag for which `Range` holds.", schema: text },
  { name: "If-None-Match", text: "304 if the ETag is still one of these.", schema: text },
  { name: "If-Match", text: "412 unless the ETag is one of these.", schema: text },
  { name: "If-Modified-Since", schema: text },
  { name: "If-Unmodified-Since", schema: text },
];

/** What a download may be refused for. */
export const fileCodesOfDownloads = ["NOT_FOUND", "RANGE_NOT_SATISFIABLE", "PRECONDITION_FAILED", "MALFORMED_HEADER"];

/** The parameters of a signed address. They are made by the service. */
export const signatureParameters: readonly DescribedParameter[] = [
  { name: "e", text: "When a signed address ends, in seconds since 1970.", schema: whole },
  { name: "k", text: "Which secret signed the address.", schema: text },
  { name: "s", text: "The signature of the address.", schema: text },
];
