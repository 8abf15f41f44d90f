import type { RequestHeaders } from "../../../ground/http/headers/headers.js";
import type { HttpRequest } from "../../../ground/http/message.js";
import { type ProblemError, problemAt } from "../../../ground/problem/index.js";
import type { CrossOrigin } from "../../capability/capability.js";
import type { Environment } from "../../operation/environment.js";

/** What a service knows of the origins of its pages. */
interface CrossSiteRules {
  readonly environment: Pick<Environment, "baseUrl">;
  readonly crossOrigin: CrossOrigin | undefined;
}

/** Media types that a page may send to another origin without a preflight. @see https://fetch.spec.whatwg.org/#cors-safelisted-request-header */
const safelisted: ReadonlySet<string> = new Set(["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]);

/**
 * Refuses a request that a page of another origin sent without a preflight: a form, or a POST without a Content-Type. The browser adds its user's cookies and
 * passwords to it, so that the page would act as the user (CSRF). Other requests are sent only after a preflight.
 *
 * `Sec-Fetch-Site` decides if the browser sends it, because no page can set it. Otherwise the host of `Origin` must be that of `Host` or of the base URL. Without
 * both headers the request is not from a browser.
 *
 * @returns a promise only if the origins that are allowed are looked up
 * @throws {ProblemError} CROSS_SITE_REQUEST
 */
export function refuseCrossSite(
  { environment, crossOrigin }: CrossSiteRules,
  request: HttpRequest,
  headers: RequestHeaders,
): Promise<void> | undefined {
  if (request.method !== "POST" || !isSimple(headers) || !isForeign(headers, environment.baseUrl)) return undefined;
  const origin = headers.get("origin");
  if (origin === undefined || crossOrigin === undefined) throw crossSite();
  return crossOrigin.allows(origin, request).then((isAllowed) => {
    if (!isAllowed) throw crossSite();
  });
}

function isSimple({ mediaType }: RequestHeaders): boolean {
  return mediaType === undefined || safelisted.has(mediaType.type);
}

function isForeign(headers: RequestHeaders, baseUrl: string | undefined): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const origin = headers.get("origin");
  if (origin === undefined) return false;
  const sent = urlOf(origin);
  if (sent === undefined || sent.host === "") return true;
  // The scheme is not compared with that of the request, which is unknown: a proxy may end TLS.
  const own = urlOf(`${sent.protocol}//${headers.get("host") ?? headers.get(":authority") ?? ""}`);
  return own?.host !== sent.host && urlOf(baseUrl ?? "")?.origin !== sent.origin;
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function crossSite(): ProblemError {
  const detail = "A page of another origin sent this request. Add the origin to cors(), or send JSON.";
  return problemAt("CROSS_SITE_REQUEST", detail, { header: "Origin" });
}
