import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../../storage/collection.js";
import type { Outcome } from "../../storage/outcome.js";
import type { InsertCall, RemoveCall, UpdateCall } from "../../storage/rowsOver.js";
import type { Id } from "../../storage/scalar.js";
import { refused } from "../references/referencedRows.js";
import { RowsById } from "../rowsById.js";
import { allowsAll, type Guard, missingReferences, scopeOf, scopeOfCreate, stamped } from "./guard.js";
import { outOfScope } from "./outOfScope.js";
import { outside } from "./outside.js";

const forbidden: Outcome<Row> = { ok: false, why: "scope", when: "before" };

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
    const { slice } = guard;
    this.#isJudgedAtEnd = slice !== undefined && slice.ends.length > 0;
    if (this.#isJudgedAtEnd) slice?.ends.push((latest) => slice.judge(guard, this.#updated, latest));
  }

  override async insert(given: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    if (allowsAll(this.#guard, "create")) return this.rows.insert(given, call);
    const row = stamped(this.#guard, given, "create");
    const missing = (await missingReferences(this.#guard, [row], call)).get(row);
    if (missing !== undefined) return refused(missing);
    const { scope, isJudgedLater } = scopeOfCreate(this.#guard);
    if (!isJudgedLater && !(await scope.includes(row, this.#guard, call))) return outside;
    const outcome = await this.rows.insert(row, call);
    if (isJudgedLater && outcome.ok && !(await scope.includes(outcome.row, this.#guard, call))) throw outOfScope();
    return this.#seen(outcome, call);
  }

  override insertMany(given: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    return this.#guard.bulk?.insertGuarded(this.rows, this.#guard, given, call) ?? super.insertMany();
  }

  override async update(id: Id, patch: RowPatch, given: UpdateCall): Promise<Outcome<Row>> {
    if (allowsAll(this.#guard, "update")) return this.rows.update(id, patch, given);
    const { before: known, ...call } = given;
    const before = known ?? (await this.rows.get(id, call));
    if (before === undefined) return { ok: false, why: "missing" };
    if (call.ifVersion !== undefined && before._version !== call.ifVersion) return { ok: false, why: "stale", current: before };
    const { model, updateAs = "update", isHooked } = this.#guard;
    if (!(await scopeOf(this.#guard, updateAs, "before").includes(before, this.#guard, call))) return forbidden;
    const values = stamped(this.#guard, patch, "update");
    const idName = model.id;
    const after: Row = call.replace === true ? { ...values, [idName]: before[idName] } : { ...before, ...values };
    const missing = (await missingReferences(this.#guard, [after], call, before)).get(after);
    if (missing !== undefined) return refused(missing);
    const scope = scopeOf(this.#guard, updateAs, "after");
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
    if (scopeOf(this.#guard, "remove", "before").filter === undefined) return this.rows.remove(id, call);
    const before = known ?? (await this.rows.get(id, call));
    if (before === undefined) return this.rows.remove(id, call);
    if (!(await scopeOf(this.#guard, "remove", "before").includes(before, this.#guard, call))) return forbidden;
    const pinned: RemoveCall = { ...call, ifVersion: call.ifVersion ?? before._version, before };
    return this.rows.remove(id, pinned);
  }

  /** Marks the written row if the principal may not read it. */
  async #seen(outcome: Outcome<Row>, call: Call): Promise<Outcome<Row>> {
    if (!outcome.ok || (await scopeOf(this.#guard, "read", "before").includes(outcome.row, this.#guard, call))) return outcome;
    return { ...outcome, isHidden: true };
  }
}
