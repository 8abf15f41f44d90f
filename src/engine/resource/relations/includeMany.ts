import { ProblemError } from "../../../ground/problem/index.js";
import { addTo } from "../../../ground/storage/addTo.js";
import type { Row } from "../../../ground/storage/collection.js";
import type { Id, Path } from "../../../ground/storage/values/scalar.js";
import type { View } from "../../../language/fields/view.js";
import { type Context, readCall } from "../../operation/context.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import { noteRows } from "../read/noteRows.js";
import { type Attach, type Inclusion, inclusionsOf, type Parent } from "./inclusion.js";
import type { LinkedRelation } from "./link.js";
import type { RelatedPermits } from "./relatedPermits.js";
import { keysOf } from "./relationKeys.js";

/** The most rows of one call, in full pages of parents. */
const pagesPerCall = 10;

/** Loads the first rows of each parent, and one more that shows whether there are more; null if the principal may not list them. */
export async function includeMany(
  relation: LinkedRelation,
  inclusions: readonly Inclusion[],
  context: Context,
  permits: RelatedPermits,
): Promise<Attach> {
  const permit = await permits(relation.target, "list");
  // The group of a row reveals its key.
  if (permit === undefined || permit.fields?.includes(relation.key.name) === false) return () => attachNull(inclusions);
  const shown = inclusions.map((inclusion) => {
    const view = relation.target.views.chosen(inclusion.selection, "compact", context.principal, permit.fields);
    return { inclusion, view };
  });
  const groups = await loadGroups(relation, shown, context);
  const { includedRows } = context.environment.limits;
  return () => shown.flatMap(({ inclusion, view }) => attachMany(inclusion, groups, includedRows, view, permit.fields));
}

interface Shown {
  readonly inclusion: Inclusion;
  readonly view: View;
}

/**
 * The rows of each parent, by its id. A relation loads no more rows than a full page of parents can have: below a to-many relation the
 * numbers would multiply.
 */
async function loadGroups(relation: LinkedRelation, shown: readonly Shown[], context: Context): Promise<ReadonlyMap<Id, readonly Row[]>> {
  const { includedRows, maxPerPage } = context.environment.limits;
  const collection = await readableRows(context, relation.target.name);
  const keys = [...new Set(shown.flatMap(({ inclusion }) => inclusion.parents.map(({ row }) => row[inclusion.sourceId] as Id)))];
  const fields = fieldsOf(relation, shown, context);
  const limit = includedRows + 1;
  const groups = new Map<Id, Row[]>();
  let count = 0;
  for (let start = 0; start < keys.length; start += maxPerPage * pagesPerCall) {
    const some = keys.slice(start, start + maxPerPage * pagesPerCall);
    const rows = await collection.findGroups({ key: relation.key.name, keys: some, fields, limit }, readCall(context));
    count += rows.length;
    noteRows(context, relation.target, rows);
    if (count > maxPerPage * limit) throw tooMany(relation, maxPerPage * includedRows);
    for (const row of rows) addTo(groups, row[relation.key.name] as Id, row);
  }
  return groups;
}

/** The columns that any of the views reads, and those that further relations need; `undefined` if whole rows are needed. */
function fieldsOf({ target }: LinkedRelation, shown: readonly Shown[], context: Context): readonly Path[] | undefined {
  const names = new Set<string>(context.shown === undefined ? [] : [target.resource.model.id]);
  for (const { inclusion, view } of shown) {
    if (view.columns === undefined) return undefined;
    for (const name of view.columns) names.add(name);
    for (const name of keysOf(target, inclusion.selection.relations)) names.add(name);
  }
  return [...names].map((name): Path => [name]);
}

function tooMany({ name }: LinkedRelation, maximum: number): ProblemError {
  const detail = `The relation "${name}" leads to more than ${maximum} rows; request a smaller page.`;
  return new ProblemError("QUERY_TOO_COMPLEX", detail, { extensions: { maximum } });
}

function attachMany(
  { relation, selection, parents, sourceId }: Inclusion,
  groups: ReadonlyMap<Id, readonly Row[]>,
  maximum: number,
  view: View,
  only: Parent["only"],
): readonly Inclusion[] {
  const related: Parent[] = [];
  for (const { row: parentRow, shown } of parents) {
    const group = groups.get(parentRow[sourceId] as Id) ?? [];
    const members = group.slice(0, maximum).map((row): Parent => ({ row, shown: view.select(row), only }));
    shown[relation.name] = members.map((member) => member.shown);
    if (group.length > maximum) shown[`${relation.name}Truncated`] = true;
    related.push(...members);
  }
  return inclusionsOf(relation.target, related, selection.relations);
}

function attachNull(inclusions: readonly Inclusion[]): readonly Inclusion[] {
  for (const { relation, parents } of inclusions) {
    for (const { shown } of parents) shown[relation.name] = null;
  }
  return [];
}
