import type { HttpResponse } from "../../../ground/http/message.js";
import { type Context, type PathScope, readCall } from "../../operation/context.js";
import type { Operation } from "../../operation/operation.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import { noSuchRow, parseId } from "../read/identify.js";
import { namesOtherParent, otherParent, type PathKey, withPathKey } from "../read/pathKey.js";
import type { Resource } from "../resource.js";
import { refuseOtherParent } from "../write/refuseOtherParent.js";
import type { Ancestor, Ancestors } from "./ancestor.js";
import { findParent } from "./findParent.js";
import { inPathScope } from "./inPathScope.js";
import type { LinkedRelation, LinkedResource } from "./link.js";

const maxParents = 3;

/** All paths from a resource through its to-many relations. Circles end at the maximum depth. */
export function hierarchies(linked: LinkedResource, maxDepth = maxParents): readonly Ancestors[] {
  const found: Ancestors[] = [];
  let level = manyOf(linked).map((relation): Ancestors => [{ parent: linked, relation }]);
  for (let depth = 1; depth <= maxDepth; depth++) {
    found.push(...level);
    level = level.flatMap((ancestors) => {
      const parent = innermost(ancestors).relation.target;
      return manyOf(parent).map((relation): Ancestors => [...ancestors, { parent, relation }]);
    });
  }
  return found;
}

/** The last step of a path: its target is the collection that the path names. */
export function innermost(ancestors: Ancestors): Ancestor {
  return ancestors.at(-1) ?? ancestors[0];
}

/** `/users/{userId}/orders`; `null` is a variable segment. */
export function segmentsOf(ancestors: Ancestors): readonly (string | null)[] {
  return [ancestors[0].parent.name, ...ancestors.flatMap(({ relation }) => [null, relation.name])];
}

/**
 * The operation below its parents: each must exist, be readable, and be a child of the one above. It sees only children of the innermost parent, and
 * rows that it writes become or stay children.
 */
export function below(ancestors: Ancestors, operation: Operation, kind: "collection" | "single"): Operation {
  const { key, target } = innermost(ancestors).relation;
  return {
    ...operation,
    name: nameOf(ancestors, operation),
    async run(context) {
      const pathKey: PathKey = { key, id: await findParent(ancestors, context) };
      const params = context.params.slice(ancestors.length);
      const inner: Context = { ...context, params, pathScope: scopeOf(pathKey) };
      return kind === "collection" ? runOnCollection(operation, inner, pathKey) : runOnRow(target.resource, operation, inner, pathKey);
    },
  };
}

function scopeOf({ key, id }: PathKey): PathScope {
  return { filter: { op: "eq", path: [key.name], value: id }, values: { [key.name]: id } };
}

async function runOnCollection(operation: Operation, context: Context, pathKey: PathKey): Promise<HttpResponse> {
  if (operation.method !== "POST") return operation.run(context);
  if (namesOtherParent(context.body, pathKey)) throw otherParent(pathKey);
  return operation.run({ ...context, body: withPathKey(context.body, pathKey) });
}

/** The operation itself treats a row of another parent as missing; this checks only the parent that the body names. */
async function runOnRow(resource: Resource, operation: Operation, context: Context, pathKey: PathKey): Promise<HttpResponse> {
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

function manyOf({ relations }: LinkedResource): readonly LinkedRelation[] {
  return [...relations.values()].filter(({ many }) => many);
}

/** `orders.list` → `users.orders.list` */
function nameOf(ancestors: Ancestors, { name }: Operation): string {
  const verb = name.slice(name.lastIndexOf(".") + 1);
  return [ancestors[0].parent.name, ...ancestors.map(({ relation }) => relation.name), verb].join(".");
}
