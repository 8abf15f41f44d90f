/**
 * The headers of a page: it loads its own files and talks to its own origin, and no text of a document can become markup or a script.
 *
 * @see https://www.w3.org/TR/CSP3/
 */
export function pageHeaders({ tryIt, trustedTypes }: { readonly tryIt: boolean; readonly trustedTypes: boolean }): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${tryIt ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(trustedTypes ? ["require-trusted-types-for 'script'"] : []),
  ];
  return { "content-type": "text/html; charset=utf-8", "content-security-policy": policy.join("; "), "referrer-policy": "no-referrer" };
}
