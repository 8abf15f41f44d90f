import { isObject } from "../../../ground/http/isObject.js";
import { closest } from "../../../ground/problem/closest.js";
import { problemAt } from "../../../ground/problem/index.js";
import type { LinkedResource } from "./link.js";

/**
 * Finds the resource that a body names as its `collection`.
 *
 * @throws {ProblemError} INVALID_VALUE
 */
export function namedResource(body: unknown, resources: ReadonlyMap<string, LinkedResource>): LinkedResource {
  const name = isObject(body) ? body["collection"] : undefined;
  const linked = typeof name === "string" ? resources.get(name) : undefined;
  if (linked !== undefined) return linked;
  const near = typeof name === "string" ? closest(name, resources.keys()) : undefined;
  const got = typeof name === "string" ? `there is no "${name.slice(0, 64)}"` : "it is missing";
  const detail = `"collection" must name a collection; ${got}.${near === undefined ? "" : ` Did you mean "${near}"?`}`;
  const hint = near === undefined ? {} : { hint: `did you mean "${near}"` };
  throw problemAt("INVALID_VALUE", detail, { pointer: "/collection", ...hint });
}
