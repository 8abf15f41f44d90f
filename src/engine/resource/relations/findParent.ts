import type { Id } from "../../../ground/storage/values/scalar.js";
import { gateFor } from "../../../language/schema/access.js";
import { type Context, readCall } from "../../operation/context.js";
import { askPermit, nothingHere } from "../../operation/permit.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import { noSuchRow, parseId } from "../read/identify.js";
import type { Resource } from "../resource.js";
import type { Ancestors } from "./ancestor.js";

/**
 * The id of the innermost parent, if all parents exist, are readable, and each is a child of the one above.
 *
 * @throws {ProblemError} NOT_FOUND, FORBIDDEN as for GET of the parent; NOT_FOUND as for an unknown path if the principal may not read a key
 */
export async function findParent(ancestors: Ancestors, context: Context): Promise<Id> {
  requireReadableKeys(ancestors, context);
  const [outermost, ...others] = ancestors;
  let id = await findOne(outermost.parent.resource, context, 0);
  let key = outermost.relation.key.name;
  for (const [index, { parent, relation }] of others.entries()) {
    id = await findOne(parent.resource, context, index + 1, { key, id });
    key = relation.key.name;
  }
  return id;
}

interface Above {
  readonly key: string;
  readonly id: Id;
}

async function findOne(resource: Resource, context: Context, index: number, above?: Above): Promise<Id> {
  const id = await parseId(resource, context.params[index] ?? "");
  const { environment, principal, authRequest } = context;
  const permit = await askPermit(environment, { principal, authRequest, action: "read", collection: resource.name });
  const rows = await readableRows(context, resource.name);
  const row = permit && (await rows.get(id, readCall(context)));
  if (row === undefined || permit === undefined) throw noSuchRow(resource, id);
  if (above !== undefined) {
    // Before the comparison, because its result would reveal the key to a principal that may not read it.
    if (permit.fields?.includes(above.key) === false) throw nothingHere();
    if (row[above.key] !== above.id) throw noSuchRow(resource, id);
  }
  return id;
}

/** Finding a row below a parent reveals its key. */
function requireReadableKeys(ancestors: Ancestors, { principal, permit }: Context): void {
  for (const [index, { relation }] of ancestors.entries()) {
    const isLast = index === ancestors.length - 1;
    const gate = gateFor(principal, isLast ? permit.fields : undefined);
    if (gate(relation.key, "read") !== "allowed") throw nothingHere();
  }
}
