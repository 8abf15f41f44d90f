import type { QueryPair } from "./canonicalRequest.js";
import { uriEncode } from "./uriEncode.js";

/**
 * The path of a request as its signature contains it. S3 signs a path as it is sent. For every other service `.`, `..` and empty segments are resolved, and
 * each segment is encoded once more: `/a//b%20c/../d` → `/a/d`, `/b%20c` → `/b%2520c`.
 *
 * @param path As sent, still percent-encoded.
 * @throws {URIError} for S3, if a segment is not percent-encoded UTF-8
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function canonicalPath(path: string, service: string): string {
  if (service === "s3") return path.split("/").map(decodeURIComponent).map(uriEncode).join("/");
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(uriEncode(segment));
  }
  const end = segments.length > 0 && path.endsWith("/") ? "/" : "";
  return `/${segments.join("/")}${end}`;
}

/**
 * The parameters of a query, decoded; `+` is a space.
 *
 * @param query Raw, without `?`.
 * @throws {URIError} for a parameter that is not percent-encoded UTF-8
 */
export function parseQueryPairs(query: string): readonly QueryPair[] {
  const parameters = query.split("&").filter((parameter) => parameter !== "");
  return parameters.map((parameter) => {
    const equals = parameter.indexOf("=");
    const end = equals === -1 ? parameter.length : equals;
    return [decode(parameter.slice(0, end)), decode(parameter.slice(end + 1))];
  });
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll("+", " "));
}
