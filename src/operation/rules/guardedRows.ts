import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../../storage/collection.js";
import type { CollectionModel } from "../../storage/model.js";
import type { MissingReference, Outcome } from "../../storage/outcome.js";
import type { InsertCall, RemoveCall, UpdateCall } from "../../storage/rowsOver.js";
import type { Id } from "../../storage/scalar.js";
import type { Targets } from "../references/targets.js";
import { RowsById } from "../rowsById.js";
import type { LatestRows, WriteSlice } from "../writeSlice.js";
import type { AllowedRows, ParentRows } from "./allowedRows.js";
import { namesStoreId } from "./namesStoreId.js";
import { outOfScope } from "./outOfScope.js";
import type { ScopeAction } from "./rowRules.js";
import type { Scopes } from "./scopes.js";

const outside: Outcome<Row> = { ok: false, why: "scope", when: "after" };
const forbidden: Outcome<Row> = { ok: false, why: "scope", when: "before" };

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

/** The rows to write to for a principal. It refuses writes of rows outside of the scopes, and sets the stamps. The rules must have been asked before. */
export class GuardedRows extends RowsById {
  readonly #guard: Guard;
  /** Whether hooks run after the last write of the slice. */
  readonly #isJudgedAtEnd: boolean;
  readonly #updated = new Map<Id, Call>();

  /** @param rows those that the hooks of the slice are on */
  constructor(rows: Required<Collection>, guard: Guard) {
    super(rows);
    this.#guard = guard;
    const ends = guard.slice?.ends ?? [];
    this.#isJudgedAtEnd = ends.length > 0;
    if (this.#isJudgedAtEnd) ends.push((latest) => this.#endSlice(latest));
  }

  override async insert(given: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    if (this.#allowsAll("create")) return this.rows.insert(given, call);
    const row = this.#stamped(given, "create");
    const missing = (await this.#missing([row], call)).get(row);
    if (missing !== undefined) return { ok: false, why: "reference", missing };
    const { scope, isJudgedLater } = this.#ofCreate();
    if (!isJudgedLater && !(await scope.includes(row, this.#guard, call))) return outside;
    const outcome = await this.rows.insert(row, call);
    if (isJudgedLater && outcome.ok && !(await scope.includes(outcome.row, this.#guard, call))) throw outOfScope();
    return this.#seen(outcome, call);
  }

  override async insertMany(given: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    if (this.#allowsAll("create")) return this.rows.insertMany(given, call);
    const rows = given.map((row) => this.#stamped(row, "create"));
    const missing = await this.#missing(rows, call);
    const { scope, isJudgedLater } = this.#ofCreate();
    const known = rows.filter((row) => !missing.has(row));
    const inside = isJudgedLater ? new Set(known) : await scope.includedOf(known, this.#guard, call);
    const ready = rows.filter((row) => inside.has(row));
    const operationIds = call.operationIds?.filter((_, index) => inside.has(rows[index] as Row));
    const returning = isJudgedLater ? "row" : call.returning;
    const inserted = ready.length === 0 ? [] : await this.rows.insertMany(ready, { ...call, returning, operationIds });
    const stored = inserted.flatMap((outcome) => (outcome.ok ? [outcome.row] : []));
    if (isJudgedLater && (await scope.includedOf(stored, this.#guard, call)).size < stored.length) throw outOfScope();
    const readable =
      returning === undefined || returning === "row" ? await this.#answer("read", "before").includedOf(stored, this.#guard, call) : undefined;
    let next = 0;
    return rows.map((row) => {
      const unknown = missing.get(row);
      if (unknown !== undefined) return { ok: false, why: "reference", missing: unknown };
      if (!inside.has(row)) return outside;
      const outcome = inserted[next++];
      if (outcome === undefined) throw new Error(`${ready.length} rows were inserted with ${inserted.length} results.`);
      return outcome.ok && readable?.has(outcome.row) === false ? { ...outcome, isHidden: true } : outcome;
    });
  }

  override async update(id: Id, patch: RowPatch, { before: known, ...call }: UpdateCall): Promise<Outcome<Row>> {
    if (this.#allowsAll("update")) return this.rows.update(id, patch, call);
    const before = known ?? (await this.rows.get(id, call));
    if (before === undefined) return { ok: false, why: "missing" };
    if (call.ifVersion !== undefined && before._version !== call.ifVersion) return { ok: false, why: "stale", current: before };
    const { model, updateAs = "update", isHooked } = this.#guard;
    if (!(await this.#answer(updateAs, "before").includes(before, this.#guard, call))) return forbidden;
    const values = this.#stamped(patch, "update");
    const idName = model.id;
    const unknown = (await this.#missing([values], call)).get(values)?.filter(({ field, id: key }) => String(before[field]) !== String(key)) ?? [];
    if (unknown.length > 0) return { ok: false, why: "reference", missing: unknown };
    const after: Row = call.replace === true ? { ...values, [idName]: before[idName] } : { ...before, ...values };
    const scope = this.#answer(updateAs, "after");
    if (isHooked !== true && !(await scope.includes(after, this.#guard, call))) return outside;
    // The version pins the row that was judged.
    const pinned: UpdateCall = { ...call, ifVersion: before._version, before };
    const outcome = await this.rows.update(id, values, pinned);
    if (this.#isJudgedAtEnd) {
      if (outcome.ok) this.#updated.set(id, call);
      return outcome;
    }
    if (isHooked && outcome.ok && !(await scope.includes(outcome.row, this.#guard, call))) throw outOfScope();
    return this.#seen(outcome, call);
  }

  override async remove(id: Id, { before: known, ...call }: RemoveCall): Promise<Outcome<Row>> {
    if (this.#answer("remove", "before").filter === undefined) return this.rows.remove(id, call);
    const before = known ?? (await this.rows.get(id, call));
    if (before === undefined) return this.rows.remove(id, call);
    if (!(await this.#answer("remove", "before").includes(before, this.#guard, call))) return forbidden;
    const pinned: RemoveCall = { ...call, ifVersion: call.ifVersion ?? before._version, before };
    return this.rows.remove(id, pinned);
  }

  /** The foreign keys that name no row. A key to the same collection may name a row of the same call, so that the insert decides it. */
  async #missing<V extends Row>(rows: readonly V[], call: Call): Promise<ReadonlyMap<V, readonly MissingReference[]>> {
    const { targets, model } = this.#guard;
    const missing = new Map<V, readonly MissingReference[]>();
    for (const [row, all] of (await targets?.missing(rows, call)) ?? []) {
      const others = all.filter(({ collection }) => collection !== model.name);
      if (others.length > 0) missing.set(row, others);
    }
    return missing;
  }

  /** Whether the rules neither refuse, change nor hide any row that is written. */
  #allowsAll(action: "create" | "update"): boolean {
    const { scopes, model, updateAs = "update" } = this.#guard;
    const asked = action === "update" ? updateAs : action;
    const isOpen = this.#answer(asked, "after").filter === undefined && this.#answer("read", "before").filter === undefined;
    return isOpen && (action === "create" || this.#answer(asked, "before").filter === undefined) && !scopes.hasStamps(model.name, action);
  }

  #answer(action: ScopeAction, when: "before" | "after"): AllowedRows {
    return this.#guard.scopes.answer(this.#guard.model.name, action, when);
  }

  /** A row whose id the store numbers, or that hooks may change, is judged when it is stored. */
  #ofCreate(): { readonly scope: AllowedRows; readonly isJudgedLater: boolean } {
    const scope = this.#answer("create", "after");
    return { scope, isJudgedLater: this.#guard.isHooked === true || namesStoreId(this.#guard.model, scope.filter) };
  }

  #stamped<V extends Row>(row: V, action: "create" | "update"): V {
    const { scopes, model } = this.#guard;
    return scopes.hasStamps(model.name, action) ? { ...row, ...scopes.stamps(model.name, action) } : row;
  }

  /** Judges the updated rows of a slice as its hooks leave them. @throws {ProblemError} OUT_OF_SCOPE */
  async #endSlice(latest: LatestRows): Promise<LatestRows> {
    const rows = [...latest].flatMap(([id, { row }]) => (this.#updated.has(id) ? [row] : []));
    const call = [...this.#updated.values()][0] ?? {};
    const { model, updateAs = "update" } = this.#guard;
    if ((await this.#answer(updateAs, "after").includedOf(rows, this.#guard, call)).size < rows.length) throw outOfScope();
    const readable = await this.#answer("read", "before").includedOf(rows, this.#guard, call);
    return new Map(rows.map((row) => [row[model.id] as Id, { row, isHidden: !readable.has(row) }]));
  }

  /** Marks the written row if the principal may not read it. */
  async #seen(outcome: Outcome<Row>, call: Call): Promise<Outcome<Row>> {
    if (!outcome.ok || (await this.#answer("read", "before").includes(outcome.row, this.#guard, call))) return outcome;
    return { ...outcome, isHidden: true };
  }
}
