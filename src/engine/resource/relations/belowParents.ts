import type { HttpResponse } from "../../../ground/http/message.js";
import { type Context, type PathScope, readCall } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import { noSuchRow, parseId } from "../read/identify.js";
import { namesOtherParent, otherParent, type PathKey, withPathKey } from "../read/pathKey.js";
import type { Resource } from "../resource.js";
import { refuseOtherParent } from "../write/refuseOtherParent.js";
import { type Ancestors, innermost } from "./ancestor.js";
import { findParent } from "./findParent.js";
import { inPathScope } from "./inPathScope.js";

interface BelowParent {
  readonly resource: Resource;
  readonly context: Context;
  readonly pathKey: PathKey;
}

/** The request without its parents, which must exist: it sees and writes only rows of the innermost one. */
async function within(ancestors: Ancestors, context: Context): Promise<BelowParent> {
  const { key, target } = innermost(ancestors).relation;
  const pathKey: PathKey = { key, id: await findParent(ancestors, context) };
  const params = context.params.slice(ancestors.length);
  return { resource: target.resource, pathKey, context: { ...context, params, pathScope: scopeOf(pathKey) } };
}

function scopeOf({ key, id }: PathKey): PathScope {
  return { filter: { op: "eq", path: [key.name], value: id }, values: { [key.name]: id } };
}

/** The context below the parents. @throws {ProblemError} as {@link findParent} */
export async function enterParents(ancestors: Ancestors, context: Context): Promise<Context> {
  return (await within(ancestors, context)).context;
}

/** Runs an operation of a collection. @throws {ProblemError} as {@link findParent}; READ_ONLY_FIELD for a body that names another parent */
export async function runOnCollection(ancestors: Ancestors, operation: Operation, outer: Context): Promise<HttpResponse> {
  const { context, pathKey } = await within(ancestors, outer);
  if (operation.method !== "POST") return operation.run(context);
  if (namesOtherParent(context.body, pathKey)) throw otherParent(pathKey);
  return operation.run({ ...context, body: withPathKey(context.body, pathKey) });
}

/** Runs an operation of a row. The operation itself treats a row of another parent as missing; this checks only the parent that the body names. */
export async function runOnRow(ancestors: Ancestors, operation: Operation, outer: Context): Promise<HttpResponse> {
  const { context, pathKey, resource } = await within(ancestors, outer);
  const { method } = operation;
  const isWrite = method === "PUT" || method === "PATCH";
  if (isWrite && namesOtherParent(context.body, pathKey)) {
    const id = await parseId(resource, context.params[0] ?? "");
    const rows = await readableRows(context, resource.name);
    const row = await rows.get(id, readCall(context));
    if (row !== undefined && !inPathScope(context, row)) throw noSuchRow(resource, id);
    return refuseOtherParent(resource, context, operation, { row, id, pathKey });
  }
  return operation.run(method === "PUT" ? { ...context, body: withPathKey(context.body, pathKey) } : context);
}
