import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { type ProblemError, problemAt } from "../../../ground/problem/index.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { Context } from "../../operation/context.js";
import type { Resource, ResourceField } from "../resource.js";
import { inputOf, toBodyValue } from "../write/rowValues.js";

/** The key of a path below a parent: the row's foreign key and the parent's id. */
export interface PathKey {
  readonly key: ResourceField;
  readonly id: Id;
}

/** Whether the body of a write names a different parent than the path. */
export function namesOtherParent(body: unknown, { key, id }: PathKey): boolean {
  const given = isObject(body) ? body[key.name] : undefined;
  return given !== undefined && inputOf(key, given) !== id;
}

/** The body of a POST or PUT with the key from the path; the operation refuses a body that is not an object. */
export function withPathKey(body: unknown, { key, id }: PathKey): unknown {
  if (!isObject(body) || body[key.name] !== undefined) return body;
  return { ...body, [key.name]: toBodyValue(key, id) };
}

/** The problem for a body that names another parent. */
export function otherParent({ key, id }: PathKey): ProblemError {
  const code = "READ_ONLY_FIELD";
  const detail = `"${key.name}" must be ${JSON.stringify(toBodyValue(key, id))}, as the path says.`;
  return problemAt(code, detail, { pointer: pointer([key.name]) });
}

/** Refuses a change that would move the row to another parent. @throws {ProblemError} READ_ONLY_FIELD */
export function refuseOtherParentIn({ pathScope }: Context, { fields }: Resource, changed: Readonly<Record<string, unknown>>): void {
  for (const [name, id] of Object.entries(pathScope?.values ?? {})) {
    const key = fields.get(name);
    if (key !== undefined && Object.hasOwn(changed, name)) throw otherParent({ key, id });
  }
}
