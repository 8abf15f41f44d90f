import { cutMount, splitTarget } from "../src/http/target.js";
import { ConfigurationError, shown } from "../src/problem/index.js";

/** Where a request points: the prefix that the host has cut, and what is left of the target below it. */
export interface Place {
  readonly mount: string;
  /** Still percent-encoded, beginning with `/`. */
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
}

/**
 * A literal prefix, which a path can begin with; otherwise every request would be none of ours, and nobody would know why.
 *
 * @throws {ConfigurationError}
 */
export function requireMount(mount: string): string {
  if (typeof mount === "string" && (mount === "" || /^\/[^*?#]*$/.test(mount))) return mount;
  throw new ConfigurationError(`"mount" must be the beginning of a path, such as "/v1"; got ${shown(mount)}.`);
}

/** The target below a literal prefix; `undefined` where it does not stand below it. */
export function placeBelowPrefix(target: string, prefix: string): Place | undefined {
  const mount = prefix.replace(/\/+$/, "");
  const { path, query } = splitTarget(target);
  const below = cutMount(path, mount);
  return below === undefined ? undefined : { mount, path: below, query };
}

/**
 * The target below the prefix of a route pattern such as `/v1` or `/:tenant/v1`.
 *
 * The host has matched the pattern already, decoded and perhaps without regard to case, so segments are counted and not compared.
 */
export function placeBelowPattern(target: string, pattern: string): Place {
  const { path, query } = splitTarget(target);
  if (pattern === "") {
    return { mount: "", path, query };
  }
  const depth = pattern.replace(/\/+$/, "").split("/").length - 1;
  if (depth === 0) {
    return { mount: "", path, query };
  }
  const segments = path.split("/");
  return { mount: segments.slice(0, depth + 1).join("/"), path: `/${segments.slice(depth + 1).join("/")}`, query };
}

/** The target that a host has shortened; the mount is what it cut off the original one, and empty where it has rewritten the path instead. */
export function placeBelowOriginal(target: string, originalTarget: string): Place {
  const { path, query } = splitTarget(target);
  const original = splitTarget(originalTarget).path;
  if (path === "/" && !original.endsWith("/")) {
    return { mount: original, path, query };
  }
  return { mount: original.endsWith(path) ? original.slice(0, -path.length) : "", path, query };
}
