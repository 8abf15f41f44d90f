import { ProblemError } from "../problem/index.js";

/** The two parts of a request target, both still percent-encoded. */
export interface Target {
  readonly path: string;
  /** Without `?`; empty if there is none. */
  readonly query: string;
}

/** The whole target in origin-form: mount, path and `?query`. */
export function joinTarget({ mount, path, query }: Target & { readonly mount: string }): string {
  return `${mount}${path}${query && `?${query}`}`;
}

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Splits a request target in origin-form, absolute-form or asterisk-form. Any other target becomes a path that no route has.
 *
 * @see RFC 9112 §3.2
 */
export function splitTarget(target: string): Target {
  const hash = target.indexOf("#");
  const whole = cutOrigin(hash === -1 ? target : target.slice(0, hash));
  const mark = whole.indexOf("?");
  if (mark === -1) return { path: whole || "/", query: "" };
  return { path: whole.slice(0, mark) || "/", query: whole.slice(mark + 1) };
}

/** `http://host/users?x` → `/users?x`. A path may begin with two slashes, which is not a host. */
function cutOrigin(target: string): string {
  if (target.startsWith("/")) return target;
  const origin = scheme.exec(target)?.[0];
  if (origin === undefined) return target;
  const end = target.slice(origin.length).search(/[/?]/);
  return end === -1 ? "" : target.slice(origin.length + end);
}

/**
 * Decodes one segment of a path, once and strictly.
 *
 * @throws {ProblemError} MALFORMED_TARGET for `%` without two hexadecimal digits, and for bytes that are not UTF-8
 * @see RFC 3986 §2.1
 */
export function decodeSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new ProblemError("MALFORMED_TARGET", `The path segment "${segment.slice(0, 64)}" is not valid percent-encoded UTF-8.`, { cause });
  }
}

/**
 * The path below a mount; `undefined` if it is not below it: `/v10` is not below `/v1`.
 *
 * @param mount Without a trailing slash: `""` or `/v1`.
 */
export function cutMount(path: string, mount: string): string | undefined {
  if (!path.startsWith(mount)) return undefined;
  if (path.length === mount.length) return "/";
  return mount === "" || path.charAt(mount.length) === "/" ? path.slice(mount.length) : undefined;
}
