import { cutMount, splitTarget } from "../../src/ground/http/target.js";
import { passing } from "../../src/ground/options/index.js";

/** The target of a request: the prefix that the host has cut, and the rest of the target below it. */
export interface MountedTarget {
  readonly mount: string;
  /** Still percent-encoded, beginning with `/`. */
  readonly path: string;
  /** Raw, without `?`. */
  readonly query: string;
}

/** The schema of a literal prefix, which a path can begin with; otherwise every request would be for other handlers, without an error. */
export const mountSchema = () =>
  passing('the beginning of a path, such as "/v1"', (mount) => mount === "" || (typeof mount === "string" && /^\/[^*?#]*$/.test(mount)));

/** The target below a literal prefix; `undefined` if it is not below the prefix. */
export function targetBelowPrefix(target: string, prefix: string): MountedTarget | undefined {
  const mount = prefix.replace(/\/+$/, "");
  const { path, query } = splitTarget(target);
  const below = cutMount(path, mount);
  return below === undefined ? undefined : { mount, path: below, query };
}

/**
 * The target below the prefix of a route pattern such as `/v1` or `/:tenant/v1`.
 *
 * The host has matched the pattern already, decoded and perhaps ignoring case, so segments are counted and not compared.
 */
export function targetBelowPattern(target: string, pattern: string): MountedTarget {
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
export function targetBelowOriginal(target: string, originalTarget: string): MountedTarget {
  const { path, query } = splitTarget(target);
  const original = splitTarget(originalTarget).path;
  if (path === "/" && !original.endsWith("/")) {
    return { mount: original, path, query };
  }
  return { mount: original.endsWith(path) ? original.slice(0, -path.length) : "", path, query };
}
