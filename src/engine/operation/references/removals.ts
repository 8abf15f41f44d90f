import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { Call, Row } from "../../../ground/storage/collection.js";
import { idsQuery } from "../../../ground/storage/filterParts.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Outcome } from "../../../ground/storage/outcome.js";
import type { Id, Version } from "../../../ground/storage/values/scalar.js";
import type { Removal } from "../write/stage.js";
import { type Dependent, type Dependents, dependentsIn, type FindUpcoming, type RemovalParts } from "./dependents.js";
import type { Reference } from "./references.js";

/** Rows that change when one row is removed. */
interface Plan {
  /** In the order in which they were found: a row comes after the row that it references. */
  readonly removed: readonly Dependent[];
  readonly cleared: readonly Dependent[];
}

/** Removes rows that other rows may reference, all in one transaction: a referencing row prevents the removal, is removed too, or its key is set to null. */
export class Removals {
  readonly #model: CollectionModel;
  readonly #parts: RemovalParts;
  readonly #dependents: Dependents;
  /** Rows that were removed by a cascade, by collection and id. */
  readonly #gone = new Map<string, Row>();
  /** Rows whose key was set to null here: their versions differ from those that were read. */
  readonly #changed = new Set<string>();
  #locked: Map<string, Version> | undefined;
  #upcoming: readonly Id[];
  #rows = 0;

  /**
   * @param upcoming ids of the rows that will be removed one after the other
   * @param upcomingDependents finds the dependents of all of them at once
   */
  constructor(model: CollectionModel, parts: RemovalParts, upcoming: readonly Id[], upcomingDependents: FindUpcoming = dependentsIn) {
    this.#model = model;
    this.#parts = parts;
    this.#upcoming = upcoming;
    this.#dependents = upcomingDependents(parts, upcoming);
  }

  /** Whether a cascade has removed the row. */
  hasRemoved(id: Id): boolean {
    return this.#gone.has(keyOf(this.#model, id));
  }

  /** @throws {ProblemError} ROW_IN_USE if there are more dependent rows than one transaction may remove */
  async remove(removal: Removal, next: (removal: Removal) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    const { id, call: own } = removal;
    const { ifVersion, before: _, ...call } = own;
    const gone = this.#gone.get(keyOf(this.#model, id));
    if (gone !== undefined) return { ok: true, row: gone, created: false };
    const version = await this.#lock(id, call);
    if (version === undefined) return { ok: false, why: "missing" };
    const isOwnChange = this.#changed.has(keyOf(this.#model, id));
    if (ifVersion !== undefined && version !== ifVersion && !isOwnChange) return { ok: false, why: "stale" };
    const plan = await this.#plan(id, call);
    if (plan === undefined) return { ok: false, why: "inUse" };
    for (const { reference, id: dependent } of plan.cleared) {
      await yieldToEventLoop();
      await this.#clear(reference, dependent, call);
    }
    for (const { reference, id: dependent } of plan.removed.toReversed()) {
      await yieldToEventLoop();
      const outcome = await this.#parts.rowsOf(reference.holder).remove(dependent, call);
      if (outcome.ok) this.#gone.set(keyOf(reference.holder, dependent), outcome.row);
      else requireUnrefused(outcome);
    }
    return next(isOwnChange ? { ...removal, call } : removal);
  }

  async #clear({ holder, clear }: Reference, id: Id, call: Call): Promise<void> {
    requireUnrefused(await this.#parts.rowsOf(holder).update(id, clear(), call));
    this.#changed.add(keyOf(holder, id));
  }

  /** Locks the row: no other transaction can reference it until this one ends. */
  async #lock(id: Id, call: Call): Promise<Version | undefined> {
    if (this.#locked?.has(String(id)) !== true) {
      const ids = [...new Set([...this.#upcoming, id])];
      this.#upcoming = [];
      const idName = this.#model.id;
      const found = await this.#parts.rows.find(idsQuery(idName, ids, undefined, "update"), call);
      this.#locked ??= new Map();
      for (const row of found) this.#locked.set(String(row[idName]), row._version);
    }
    return this.#locked?.get(String(id));
  }

  /** Finds all rows that the removal changes, recursively; `undefined` if a row that stays references one of the removed rows. */
  async #plan(root: Id, call: Call): Promise<Plan | undefined> {
    const removed = new Map<string, Dependent>();
    const cleared = new Map<string, Dependent>();
    const kept: { readonly reference: Reference; readonly ids: readonly Id[] }[] = [];
    let level = new Map<CollectionModel, Id[]>([[this.#model, [root]]]);
    const own = keyOf(this.#model, root);
    while (level.size > 0) {
      const next = new Map<CollectionModel, Id[]>();
      for (const [model, ids] of level) {
        for (const reference of this.#parts.references.leadingTo.get(model.name) ?? []) {
          if (reference.onDelete === "restrict") {
            kept.push({ reference, ids });
            continue;
          }
          const limit = this.#parts.maxRows - this.#rows - removed.size - cleared.size;
          const found = await this.#dependents.of(reference, ids, limit + 1, call);
          for (const dependent of found) {
            const key = keyOf(reference.holder, dependent.id);
            if (key === own || removed.has(key) || this.#gone.has(key)) continue;
            if (reference.onDelete === "setNull") {
              cleared.set(`${key} ${reference.fields}`, dependent);
            } else {
              removed.set(key, dependent);
              next.set(reference.holder, [...(next.get(reference.holder) ?? []), dependent.id]);
            }
          }
          if (removed.size + cleared.size > this.#parts.maxRows - this.#rows) throw tooManyDependents(this.#parts.maxRows);
        }
      }
      level = next;
    }
    for (const { reference, ids } of kept) {
      const going = [...removed.values()].filter((dependent) => dependent.reference.holder === reference.holder).map(({ id }) => id);
      if (reference.holder === this.#model) going.push(root);
      const hasChanged = [...this.#gone.keys()].some((key) => key.startsWith(`${reference.holder.name}/`));
      if (await this.#dependents.areNamed(reference, ids, { besides: going, hasChanged }, call)) return undefined;
    }
    this.#rows += removed.size + cleared.size;
    return {
      removed: [...removed.values()],
      cleared: [...cleared.values()].filter(({ reference, id }) => !removed.has(keyOf(reference.holder, id))),
    };
  }
}

/** A hook may refuse that a dependent row goes or changes; then nothing does. */
function requireUnrefused(outcome: Outcome<Row>): void {
  if (!outcome.ok && outcome.why === "problem") throw outcome.problem;
}

function keyOf({ name }: CollectionModel, id: Id): string {
  return `${name}/${id}`;
}

function tooManyDependents(maxRows: number): ProblemError {
  return new ProblemError("ROW_IN_USE", `More than ${maxRows} other rows would go with this one; delete those first.`);
}
