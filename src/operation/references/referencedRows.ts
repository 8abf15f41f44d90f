import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../../storage/collection.js";
import type { MissingReference, Outcome } from "../../storage/outcome.js";
import type { InsertCall, RemoveCall, UpdateCall } from "../../storage/rowsOver.js";
import type { Id } from "../../storage/scalar.js";
import type { BulkWrites } from "../bulkWrites.js";
import { RowsById } from "../rowsById.js";
import type { Removals } from "./removals.js";
import type { Targets } from "./targets.js";

/**
 * The rows of a transaction. It refuses writes whose foreign keys reference no row of the tenant. The referenced rows are locked until the transaction ends,
 * so that they cannot be deleted in the meantime.
 */
export class ReferencedRows extends RowsById {
  readonly #targets: Targets;
  readonly #makeRemovals: (() => Removals) | undefined;
  readonly #bulk: BulkWrites | undefined;
  #removals: Removals | undefined;

  /** @param makeRemovals makes what removes rows that other rows may reference; `undefined` if no relation leads to the collection */
  constructor(rows: Required<Collection>, targets: Targets, makeRemovals: (() => Removals) | undefined, bulk: BulkWrites | undefined) {
    super(rows);
    this.#targets = targets;
    this.#makeRemovals = makeRemovals;
    this.#bulk = bulk;
  }

  override remove(id: Id, call: RemoveCall): Promise<Outcome<Row>> {
    this.#removals ??= this.#makeRemovals?.();
    return (this.#removals ?? this.rows).remove(id, call);
  }

  override async insert(row: NewRow, call: InsertCall): Promise<Outcome<Row>> {
    const missing = (await this.#targets.missing([row], call)).get(row);
    if (missing !== undefined) return refused(missing);
    const outcome = await this.rows.insert(row, call);
    if (outcome.ok) this.#targets.add(outcome.row);
    return outcome;
  }

  override insertMany(given: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    return this.#bulk?.insertReferenced(this.rows, this.#targets, given, call) ?? super.insertMany();
  }

  override async update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    const before = call.before ?? (await this.rows.get(id, call));
    if (before === undefined) return { ok: false, why: "missing" };
    if (call.ifVersion !== undefined && before._version !== call.ifVersion) return { ok: false, why: "stale", current: before };
    const after = call.replace ? patch : { ...before, ...patch };
    const missing = (await this.#targets.missing([after], call, before)).get(after);
    if (missing !== undefined) return refused(missing);
    // A patch may name some fields of a key only: the version pins the others.
    const pinned: UpdateCall = { ...call, ifVersion: before._version, before };
    return this.rows.update(id, patch, pinned);
  }
}

/** A write that names a row which does not exist. */
export function refused(missing: readonly MissingReference[]): Outcome<Row> {
  return { ok: false, why: "reference", missing };
}
