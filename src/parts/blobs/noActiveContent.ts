/**
 * Headers of every file: in a browser that shows it, scripts do not run, nothing is loaded, and no page can frame it.
 *
 * @see https://www.w3.org/TR/CSP3/
 */
export const noActiveContent = { "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox" } as const;
