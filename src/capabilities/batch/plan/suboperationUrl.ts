import { decodePercent } from "../../../ground/http/decodePercent.js";
import { cutMount } from "../../../ground/http/target.js";
import type { ProblemItem } from "../../../ground/problem/index.js";
import { suboperationFault } from "./suboperationFault.js";
import { hasDotSegment } from "./suboperationSegment.js";

/** The target of an operation of a batch. */
export interface SuboperationUrl {
  /** Below the mount, percent-encoded, beginning with `/`; a segment in braces is a reference. */
  readonly path: string;
  /** The raw query without `?`; empty if there is none. */
  readonly query: string;
}

/** What is needed to check the URLs of a batch. */
export interface UrlRules {
  /** The path at which the service is mounted, without a trailing slash: `""` or `/v1`. */
  readonly mount: string;
  /** The longest URL, in bytes. */
  readonly targetBytes: number;
}

const visibleAscii = /^[!-~]*$/;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const wholeReference = /^\{[^{}]*\}$/;

/**
 * Parses the `url` of an operation of a batch: a path of this API and a query.
 *
 * The path may begin with the mount, as in `Location`, or omit it. A path that begins like the mount is taken to include it; values of references
 * are not.
 *
 * @see RFC 3986 §4.2
 */
export function readSuboperationUrl(value: unknown, { mount, targetBytes }: UrlRules, faults: ProblemItem[]): SuboperationUrl | undefined {
  if (typeof value === "string" && value.length > targetBytes) {
    faults.push(suboperationFault("/url", `The url is longer than ${targetBytes} bytes.`, { maximum: targetBytes }));
    return undefined;
  }
  const fault = typeof value === "string" ? faultOfUrl(value) : "it must be text";
  if (fault !== undefined || typeof value !== "string") {
    faults.push(suboperationFault("/url", `The url must be a path of this API that begins with one "/": ${fault}.`));
    return undefined;
  }
  const [path, query] = cutQuery(value);
  return { path: cutMount(path, mount) ?? path, query };
}

function cutQuery(url: string): readonly [path: string, query: string] {
  const mark = url.indexOf("?");
  return mark === -1 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
}

function faultOfUrl(url: string): string | undefined {
  if (!visibleAscii.test(url)) return "it contains a space, a control character or a character beyond ASCII, which must be percent-encoded";
  if (url.includes("#")) return "it has a fragment";
  if (scheme.test(url)) return "it has a scheme";
  const [path] = cutQuery(url);
  // A query may contain it: `like` uses it as the escape character.
  if (path.includes("\\")) return "it contains a backslash";
  if (path.startsWith("//")) return "it names a host";
  if (!path.startsWith("/")) return 'it begins without "/"';
  return faultOfSegments(path.slice(1).split("/"));
}

/** The last segment may be empty: the router decides about `/users/`, as for any request. */
function faultOfSegments(segments: readonly string[]): string | undefined {
  for (const [at, segment] of segments.entries()) {
    if (segment === "" && at < segments.length - 1) return "it has an empty segment";
    const fault = faultOfSegment(segment);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfSegment(segment: string): string | undefined {
  if (wholeReference.test(segment)) return undefined;
  if (segment.includes("{") || segment.includes("}")) {
    return 'a reference in braces takes a whole segment, and braces that are none are written "%7B" and "%7D"';
  }
  const text = decodePercent(segment);
  if (text === undefined) return "it is not percent-encoded UTF-8";
  return hasDotSegment(text) ? 'it has a segment "." or ".."' : undefined;
}
