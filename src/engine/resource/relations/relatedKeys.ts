import { ProblemError, problemOf } from "../../../ground/problem/problem.js";
import type { Filter } from "../../../ground/storage/filter.js";
import { fieldsOf } from "../../../ground/storage/filterParts.js";
import type { RelationFilter } from "../../../language/query/grammar/tree.js";
import { type Context, readCall } from "../../operation/context.js";
import { askPermit } from "../../operation/permit.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import type { LinkedResource } from "./link.js";

const nothing: Filter = { op: "or", args: [] };

/** The foreign keys of the rows that match a condition. @throws {ProblemError} FORBIDDEN, FORBIDDEN_FIELD; QUERY_TOO_COMPLEX if more rows match than one list may contain */
export async function keysMatching(linked: LinkedResource, context: Context, { relation, filter }: RelationFilter): Promise<Filter> {
  const { environment } = context;
  const found = linked.relations.get(relation);
  if (found === undefined || !(await mayFilterBy(found.target, context, filter))) return nothing;
  const { target } = found;
  const { id, idNames } = target.resource;
  const maximum = environment.limits.relatedRows;
  const related = await readableRows(context, target.name);
  const rows = await related.find(
    { filter, sort: [{ path: [id.name], dir: "asc" }], fields: idNames.map((name) => [name]), limit: maximum + 1 },
    readCall(context),
  );
  if (rows.length > maximum) {
    const detail = `The conditions on "${relation}" match more than ${maximum} rows; narrow them.`;
    throw problemOf("QUERY_TOO_COMPLEX", [{ code: "QUERY_TOO_COMPLEX", detail }], { extensions: { maximum } });
  }
  return found.namesOneOf(rows);
}

/** Filtering by related rows reveals as much as listing them, so the same permission is required. For a principal that they are hidden from, none match. */
async function mayFilterBy({ name }: LinkedResource, context: Context, filter: Filter): Promise<boolean> {
  const { environment, principal, authRequest } = context;
  if (environment.authorize === undefined) return true;
  const permit = await askPermit(environment, { principal, authRequest, action: "list", collection: name });
  const denied = fieldsOf(filter).find((root) => permit?.fields?.includes(root) === false);
  if (denied !== undefined) throw new ProblemError("FORBIDDEN_FIELD", `Not allowed to filter by "${denied}" of "${name}".`);
  return permit !== undefined;
}
