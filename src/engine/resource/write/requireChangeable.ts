import type { Row } from "../../../ground/storage/collection.js";
import { type Context, readCall } from "../../operation/context.js";
import type { Resource } from "../resource.js";
import { notChangeable } from "./conflict.js";

/**
 * Requires that a row that the principal may read is in the scope of its update or removal. The write itself checks it again, but this comes before preconditions
 * and validation.
 *
 * @throws {ProblemError} FORBIDDEN
 */
export function requireChangeable(context: Context, { name }: Resource, action: "update" | "remove", row: Row): void | Promise<void> {
  const { scopes, environment } = context;
  if (scopes === undefined || !scopes.has(name)) return;
  const original = environment.version?.original(row) ?? row;
  const inside = scopes.answer(name, action, "before").includes(original, environment, readCall(context));
  if (inside instanceof Promise) return inside.then(refuseUnless);
  refuseUnless(inside);

  function refuseUnless(allowed: boolean): void {
    if (!allowed) throw notChangeable();
  }
}
