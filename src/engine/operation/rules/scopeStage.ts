import type { Call, Row } from "../../../ground/storage/collection.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { refused } from "../references/referenceStage.js";
import { type Creation, createOthers, type Need, type Removal, type Update, updateOthers, type WriteStage } from "../write/stage.js";
import { allowsAll, type Guard, missingReferences, scopeOf, scopeOfCreate, stamped } from "./guard.js";
import { outOfScope } from "./outOfScope.js";
import { outside } from "./outside.js";

const forbidden: Outcome<Row> = { ok: false, why: "scope", when: "before" };

/** Refuses writes of rows outside of the scopes of a principal, and sets the stamps. The rules must have been asked before. */
export class ScopeStage implements WriteStage {
  readonly #guard: Guard;
  /** Whether hooks run after the last write of the slice. */
  readonly #isJudgedAtEnd: boolean;
  readonly #updated = new Map<Id, Call>();

  /** The stages that run hooks must have been made before: the slice ends with theirs first. */
  constructor(guard: Guard) {
    this.#guard = guard;
    const { slice } = guard;
    this.#isJudgedAtEnd = slice !== undefined && slice.ends.length > 0;
    if (this.#isJudgedAtEnd) slice?.ends.push((latest) => slice.judge(guard, this.#updated, latest));
  }

  needsForUpdate(): Need {
    return allowsAll(this.#guard, "update") ? undefined : "pinned";
  }

  needsForRemoval(): Need {
    return this.#removable.filter === undefined ? undefined : "pinned";
  }

  async create(creation: Creation, next: (creation: Creation) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]> {
    const guard = this.#guard;
    if (allowsAll(guard, "create")) return next(creation);
    const { call } = creation;
    const rows = creation.rows.map((row) => stamped(guard, row, "create"));
    const { scope, isJudgedLater } = scopeOfCreate(guard);
    const refusals = new Map<number, Outcome<Row>>();
    const missing = await missingReferences(guard, rows, call);
    const known = rows.filter((row) => !missing.has(row));
    const inside = isJudgedLater ? undefined : await scope.includedOf(known, guard, call);
    for (const [index, row] of rows.entries()) {
      const unknown = missing.get(row);
      if (unknown !== undefined) refusals.set(index, refused(unknown));
      else if (inside?.has(row) === false) refusals.set(index, outside);
    }
    const returning = isJudgedLater ? "row" : call.returning;
    const outcomes = await createOthers({ rows, call: { ...call, returning } }, refusals, next);
    const stored = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.row] : []));
    if (isJudgedLater && (await scope.includedOf(stored, guard, call)).size < stored.length) throw outOfScope();
    if (returning !== undefined && returning !== "row") return outcomes;
    const readable = await scopeOf(guard, "read", "before").includedOf(stored, guard, call);
    return outcomes.map((outcome) => (outcome.ok && !readable.has(outcome.row) ? { ...outcome, isHidden: true } : outcome));
  }

  async updateEach(updates: readonly Update[], next: (updates: readonly Update[]) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]> {
    const guard = this.#guard;
    if (allowsAll(guard, "update")) return next(updates);
    const call = updates[0]?.call ?? {};
    const stampedUpdates = updates.map((update) => ({ ...update, patch: stamped(guard, update.patch, "update") }));
    const outcomes = await updateOthers(stampedUpdates, await this.#refusals(stampedUpdates, call), next);
    if (this.#isJudgedAtEnd) {
      for (const [index, { id, call: own }] of updates.entries()) if (outcomes[index]?.ok) this.#updated.set(id, own);
      return outcomes;
    }
    const written = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.row] : []));
    if (guard.isHooked && (await this.#updatable("after").includedOf(written, guard, call)).size < written.length) throw outOfScope();
    // The principal may not read the row that it has written.
    const readable = await scopeOf(guard, "read", "before").includedOf(written, guard, call);
    return outcomes.map((outcome) => (outcome.ok && !readable.has(outcome.row) ? { ...outcome, isHidden: true } : outcome));
  }

  /** The updates that are refused before they are written, by their indexes. */
  async #refusals(updates: readonly Update[], call: Call): Promise<ReadonlyMap<number, Outcome<Row>>> {
    const guard = this.#guard;
    const befores = updates.map(({ before }) => before as Row);
    const updatable = await this.#updatable("before").includedOf(befores, guard, call);
    const refusals = new Map<number, Outcome<Row>>();
    const afters = new Map<Row, { readonly index: number; readonly before: Row }>();
    for (const [index, { patch, call: own }] of updates.entries()) {
      const before = befores[index] as Row;
      if (!updatable.has(before)) refusals.set(index, forbidden);
      else afters.set(own.replace === true ? { ...patch, [guard.model.id]: before[guard.model.id] } : { ...before, ...patch }, { index, before });
    }
    const missing = await missingReferences(guard, [...afters.keys()], call, (row) => afters.get(row)?.before);
    const known = [...afters.keys()].filter((row) => !missing.has(row));
    const inside = guard.isHooked === true ? undefined : await this.#updatable("after").includedOf(known, guard, call);
    for (const [row, { index }] of afters) {
      const unknown = missing.get(row);
      if (unknown !== undefined) refusals.set(index, refused(unknown));
      else if (inside?.has(row) === false) refusals.set(index, outside);
    }
    return refusals;
  }

  async remove(removal: Removal, next: (removal: Removal) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const { before, call } = removal;
    return before === undefined || (await this.#removable.includes(before, this.#guard, call)) ? next(removal) : forbidden;
  }

  #updatable(when: "before" | "after") {
    return scopeOf(this.#guard, this.#guard.updateAs ?? "update", when);
  }

  get #removable() {
    return scopeOf(this.#guard, "remove", "before");
  }
}
