import type { HttpRequest } from "../../../ground/http/message.js";
import type { ProblemError } from "../../../ground/problem/index.js";
import { nothingHere } from "../../operation/permit.js";
import type { Router } from "../router.js";

/** The problem of a path that no route has. It names the path without slashes at its end if that one is served: clients and people add them. */
export function notServed(router: Router, { mount, path }: HttpRequest): ProblemError {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  const near = path.slice(0, end);
  return nothingHere(end < path.length && router.match(near) !== undefined ? mount + near : undefined);
}
