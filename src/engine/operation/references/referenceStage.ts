import type { NewRow, Row } from "../../../ground/storage/collection.js";
import type { MissingReference, Outcome } from "../../../ground/storage/outcome.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import { type Creation, createOthers, type Need, type Removal, type Update, updateOthers, type WriteStage } from "../write/stage.js";
import type { Reference } from "./references.js";
import type { Removals } from "./removals.js";
import { namesItself, type Targets } from "./targets.js";

/**
 * Refuses writes whose foreign keys reference no row of the tenant. The referenced rows are locked until the transaction ends, so that they cannot be deleted in the
 * meantime.
 */
export class ReferenceStage implements WriteStage {
  readonly #targets: Targets;
  readonly #makeRemovals: (() => Removals) | undefined;
  #removals: Removals | undefined;

  /** @param makeRemovals makes what removes rows that other rows may reference; `undefined` if no relation leads to the collection */
  constructor(targets: Targets, makeRemovals: (() => Removals) | undefined) {
    this.#targets = targets;
    this.#makeRemovals = makeRemovals;
  }

  needsForUpdate(): Need {
    // A patch may name some fields of a key only: the version pins the others.
    return "pinned";
  }

  hasRemoved(id: Id): boolean {
    return this.#removals?.hasRemoved(id) === true;
  }

  async create({ rows, call }: Creation, next: (creation: Creation) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]> {
    this.#targets.expect(rows);
    const outcomes: Outcome<Row>[] = [];
    // A row may reference an earlier row of the same call. The earlier row must be inserted first, because its insert may fail.
    for (const part of partsOf(this.#targets.references, rows)) {
      const operationIds = call.operationIds?.slice(outcomes.length, outcomes.length + part.length);
      outcomes.push(...(await this.#createPart({ rows: part, call: { ...call, operationIds } }, next)));
    }
    return outcomes;
  }

  async updateEach(updates: readonly Update[], next: (updates: readonly Update[]) => Promise<Outcome<Row>[]>): Promise<Outcome<Row>[]> {
    const befores = new Map<Row, Row | undefined>();
    const rows = updates.map(({ before, patch, call }) => {
      const after: Row = call.replace ? { ...patch } : { ...before, ...patch };
      befores.set(after, before);
      return after;
    });
    const missing = await this.#targets.missing(rows, updates[0]?.call ?? {}, (row) => befores.get(row));
    const refusals = new Map<number, Outcome<Row>>();
    for (const [index, row] of rows.entries()) {
      const own = missing.get(row);
      if (own !== undefined) refusals.set(index, refused(own));
    }
    return updateOthers(updates, refusals, next);
  }

  remove(removal: Removal, next: (removal: Removal) => Promise<Outcome<Row>>): Promise<Outcome<Row>> {
    this.#removals ??= this.#makeRemovals?.();
    return this.#removals?.remove(removal, next) ?? next(removal);
  }

  async #createPart(part: Creation, next: (creation: Creation) => Promise<Outcome<Row>[]>): Promise<readonly Outcome<Row>[]> {
    const missing = await this.#targets.missing(part.rows, part.call);
    const refusals = new Map<number, Outcome<Row>>();
    for (const [index, row] of part.rows.entries()) {
      const own = missing.get(row);
      if (own !== undefined) refusals.set(index, refused(own));
    }
    const outcomes = await createOthers(part, refusals, next);
    // Only rows of the same collection can be referenced by later ones.
    if (this.#targets.references.some(isOwn)) {
      for (const [index, outcome] of outcomes.entries()) if (outcome.ok) this.#targets.add({ ...part.rows[index], ...outcome.row });
    }
    return outcomes;
  }
}

/** A write that names a row which does not exist. */
export function refused(missing: readonly MissingReference[]): Outcome<Row> {
  return { ok: false, why: "reference", missing };
}

function isOwn({ holder, target }: Reference): boolean {
  return holder === target;
}

/** Splits the rows into parts so that no row references another row of its part. */
function partsOf<V extends RowValues & NewRow>(references: readonly Reference[], rows: readonly V[]): readonly (readonly V[])[] {
  const own = references.filter(isOwn);
  if (own.length === 0 || rows.length < 2) return [rows];
  const parts: V[][] = [];
  let part: V[] = [];
  let ids = new Set<string>();
  for (const row of rows) {
    if (own.some((reference) => ids.has(String(reference.idIn(row))) && !namesItself(row, reference))) {
      parts.push(part);
      part = [];
      ids = new Set();
    }
    part.push(row);
    const id = own[0] && row[own[0].target.id];
    if (id !== undefined) ids.add(String(id));
  }
  return [...parts, part];
}
