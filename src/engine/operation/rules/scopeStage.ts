import type { Call, Row } from "../../../ground/storage/collection.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { refused } from "../references/referenceStage.js";
import { type Creation, createOthers, type Need, type Removal, type Update, type WriteStage } from "../write/stage.js";
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

  async update(update: Update, next: (update: Update) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const guard = this.#guard;
    const { id, before, call } = update;
    if (before === undefined || allowsAll(guard, "update")) return next(update);
    const { model, updateAs = "update", isHooked } = guard;
    if (!(await scopeOf(guard, updateAs, "before").includes(before, guard, call))) return forbidden;
    const patch = stamped(guard, update.patch, "update");
    const after: Row = call.replace === true ? { ...patch, [model.id]: before[model.id] } : { ...before, ...patch };
    const missing = (await missingReferences(guard, [after], call, before)).get(after);
    if (missing !== undefined) return refused(missing);
    const scope = scopeOf(guard, updateAs, "after");
    if (isHooked !== true && !(await scope.includes(after, guard, call))) return outside;
    const outcome = await next({ ...update, patch });
    if (!outcome.ok) return outcome;
    if (this.#isJudgedAtEnd) {
      this.#updated.set(id, call);
      return outcome;
    }
    if (isHooked && !(await scope.includes(outcome.row, guard, call))) throw outOfScope();
    // The principal may not read the row that it has written.
    return (await scopeOf(guard, "read", "before").includes(outcome.row, guard, call)) ? outcome : { ...outcome, isHidden: true };
  }

  async remove(removal: Removal, next: (removal: Removal) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const { before, call } = removal;
    return before === undefined || (await this.#removable.includes(before, this.#guard, call)) ? next(removal) : forbidden;
  }

  get #removable() {
    return scopeOf(this.#guard, "remove", "before");
  }
}
