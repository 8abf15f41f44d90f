import { splitTarget, type Target } from "../../../ground/http/target.js";
import type { AuthRequest } from "../verifier.js";

/**
 * Whether a `uri` of Digest names the target of the request. Both are compared as URLs, because hosts that use `Request` encode some characters that the client sent.
 *
 * @see RFC 7616 §3.4.6
 */
export function isSameTarget(uri: string, { target, path }: Pick<AuthRequest, "target" | "path">): boolean {
  if (uri === target) return true;
  const [named, requested] = [canonical(uri), canonical(target)];
  // The mount itself may be requested without its slash.
  const isSamePath = named.path === requested.path || (path === "/" && `${named.path}/` === requested.path);
  return isSamePath && named.query === requested.query;
}

function canonical(target: string): Target {
  const { path, query } = splitTarget(target);
  const text = `http://host${path}${query && `?${query}`}`;
  if (!path.startsWith("/") || !URL.canParse(text)) return { path, query };
  const { pathname, search } = new URL(text);
  return { path: pathname, query: search.slice(1) };
}
