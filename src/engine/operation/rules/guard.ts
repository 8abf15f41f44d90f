import type { Call, Row } from "../../../ground/storage/collection.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { MissingReference } from "../../../ground/storage/outcome.js";
import type { Targets } from "../references/targets.js";
import type { WriteSlice } from "../write/writeSlice.js";
import type { AllowedRows, ParentRows } from "./allowedRows.js";
import { namesStoreId } from "./namesStoreId.js";
import type { ScopeAction } from "./rowRules.js";
import type { Scopes } from "./scopes.js";

/** What the rules of a collection are evaluated with. */
export interface Guard extends ParentRows {
  readonly scopes: Scopes;
  readonly model: CollectionModel;
  /** What looks up foreign keys, if the collection has any: an unknown key is refused before a scope, and names its field. */
  readonly targets: Targets | undefined;
  /** The action whose scope judges updates; `update` if absent. */
  readonly updateAs?: string | undefined;
  /** Whether hooks may change the written row: it is then judged as it stands after the write. */
  readonly isHooked?: boolean | undefined;
  /** The slice that it belongs to: its rows are checked against the scope when the hooks of the slice have run. */
  readonly slice?: WriteSlice | undefined;
}

/** The foreign keys that name no row. A key to the same collection may name a row of the same call, so that the insert decides it. */
export async function missingReferences<V extends Row>(
  { targets, model }: Guard,
  rows: readonly V[],
  call: Call,
  beforeOf?: (row: V) => Row | undefined,
): Promise<ReadonlyMap<V, readonly MissingReference[]>> {
  const missing = new Map<V, readonly MissingReference[]>();
  for (const [row, all] of (await targets?.missing(rows, call, beforeOf)) ?? []) {
    const others = all.filter(({ collection }) => collection !== model.name);
    if (others.length > 0) missing.set(row, others);
  }
  return missing;
}

/** Whether the rules neither refuse, change nor hide any row that is written. */
export function allowsAll(guard: Guard, action: "create" | "update"): boolean {
  const { scopes, model, updateAs = "update" } = guard;
  const asked = action === "update" ? updateAs : action;
  const isOpen = scopeOf(guard, asked, "after").filter === undefined && scopeOf(guard, "read", "before").filter === undefined;
  return isOpen && (action === "create" || scopeOf(guard, asked, "before").filter === undefined) && !scopes.hasStamps(model.name, action);
}

/** The answer of the scope, which was asked before the transaction. */
export function scopeOf({ scopes, model }: Guard, action: ScopeAction, when: "before" | "after"): AllowedRows {
  return scopes.answer(model.name, action, when);
}

/** The scope of new rows. A row whose id the store numbers, or that hooks may change, is judged when it is stored. */
export function scopeOfCreate(guard: Guard): { readonly scope: AllowedRows; readonly isJudgedLater: boolean } {
  const scope = scopeOf(guard, "create", "after");
  return { scope, isJudgedLater: guard.isHooked === true || namesStoreId(guard.model, scope.filter) };
}

/** A row with the values that the server sets in it. */
export function stamped<V extends Row>({ scopes, model }: Guard, row: V, action: "create" | "update"): V {
  return scopes.hasStamps(model.name, action) ? { ...row, ...scopes.stamps(model.name, action) } : row;
}
