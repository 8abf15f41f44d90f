import type { Row } from "../../../ground/storage/collection.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { View } from "../../../language/fields/view.js";
import { type Context, readCall } from "../../operation/context.js";
import type { Permit } from "../../operation/permit.js";
import { readableRows } from "../../operation/rules/readableRows.js";
import { noteRows } from "../read/noteRows.js";
import { type Attach, type Inclusion, inclusionsOf, type Parent } from "./inclusion.js";
import type { LinkedRelation } from "./link.js";
import type { RelatedPermits } from "./relatedPermits.js";

interface Found {
  readonly row: Row;
  readonly permit: Permit;
}

/** Loads the rows that foreign keys name, each once; missing or unreadable rows become null. */
export async function includeOne(
  relation: LinkedRelation,
  inclusions: readonly Inclusion[],
  context: Context,
  permits: RelatedPermits,
): Promise<Attach> {
  const { target } = relation;
  const ids = new Set<Id>();
  for (const { parents } of inclusions) {
    for (const parent of parents) {
      const id = keyOf(parent, relation);
      if (id !== undefined) ids.add(id);
    }
  }
  const found = new Map<Id, Found>();
  const permit = ids.size === 0 ? undefined : await permits(target, "read");
  if (permit !== undefined) {
    const others = relation.rows?.(context);
    const rows = others ?? (await readableRows(context, target.name));
    const related = await rows.getMany([...ids], readCall(context));
    if (!others) noteRows(context, target, related);
    for (const row of related) found.set(row[target.resource.id.name] as Id, { row, permit });
  }
  return () => inclusions.flatMap((inclusion) => attachOne(inclusion, found, context));
}

/** A row that several parents name is shown in one form, made once. */
function attachOne({ relation, selection, parents }: Inclusion, found: ReadonlyMap<Id, Found>, { principal }: Context): readonly Inclusion[] {
  const { name, target } = relation;
  const views = new Map<Permit["fields"], View>();
  const related = new Map<Id, Parent>();
  for (const parent of parents) {
    const id = keyOf(parent, relation);
    const hit = id === undefined ? undefined : found.get(id);
    if (id === undefined || hit === undefined) {
      parent.shown[name] = null;
      continue;
    }
    let known = related.get(id);
    if (known === undefined) {
      const { row, permit } = hit;
      const view = views.get(permit.fields) ?? target.views.chosen(selection, "compact", principal, permit.fields);
      views.set(permit.fields, view);
      known = { row, shown: view.select(row), only: permit.fields };
      related.set(id, known);
    }
    parent.shown[name] = known.shown;
  }
  return inclusionsOf(target, [...related.values()], selection.relations);
}

/** `undefined` without a related row, and for a principal that may not read this row's key: the id of the related row would reveal it. */
function keyOf({ row, only }: Parent, relation: LinkedRelation): Id | undefined {
  return relation.fields.some((name) => only?.includes(name) === false) ? undefined : relation.idIn(row);
}
