import type { Call, Collection, InsertManyOptions, NewRow, Row, RowPatch } from "../../storage/collection.js";
import type { MissingReference, Outcome } from "../../storage/outcome.js";
import type { InsertCall, RemoveCall, UpdateCall } from "../../storage/rowsOver.js";
import type { Id } from "../../storage/scalar.js";
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
  #removals: Removals | undefined;

  /** @param makeRemovals makes what removes rows that other rows may reference; `undefined` if no relation leads to the collection */
  constructor(rows: Required<Collection>, targets: Targets, makeRemovals: (() => Removals) | undefined) {
    super(rows);
    this.#targets = targets;
    this.#makeRemovals = makeRemovals;
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

  override async insertMany(given: readonly NewRow[], call: Call & InsertManyOptions): Promise<Outcome<Row>[]> {
    this.#targets.expect(given);
    const outcomes: Outcome<Row>[] = [];
    // A row may reference an earlier row of the same call. The earlier row must be inserted first, because its insert may fail.
    for (const part of this.#targets.parts(given))
      outcomes.push(...(await insertPart(this.rows, this.#targets, part, { ...call, first: outcomes.length })));
    return outcomes;
  }

  override async update(id: Id, patch: RowPatch, call: UpdateCall): Promise<Outcome<Row>> {
    const missing = (await this.#targets.missing([patch], call)).get(patch);
    if (missing === undefined) return this.rows.update(id, patch, call);
    const before = await this.rows.get(id, call);
    if (before === undefined) return { ok: false, why: "missing" };
    if (call.ifVersion !== undefined && before._version !== call.ifVersion) return { ok: false, why: "stale", current: before };
    // An unchanged key may reference a row that was deleted before the key was enforced.
    const changed = missing.filter(({ field, id: named }) => String(before[field]) !== String(named));
    return changed.length > 0 ? refused(changed) : this.rows.update(id, patch, call);
  }
}

async function insertPart(
  rows: Required<Collection>,
  targets: Targets,
  part: readonly NewRow[],
  { first, operationIds, ...call }: Call & InsertManyOptions & { readonly first: number },
): Promise<readonly Outcome<Row>[]> {
  const missing = await targets.missing(part, call);
  const places = [...part.keys()].filter((place) => !missing.has(part[place] as NewRow));
  const ready = missing.size === 0 ? part : places.map((place) => part[place] as NewRow);
  const ids = operationIds && places.map((place) => operationIds[first + place] ?? "");
  const inserted = ready.length === 0 ? [] : await rows.insertMany(ready, { ...call, operationIds: ids });
  let next = 0;
  return part.map((row) => {
    const refusal = missing.get(row);
    if (refusal !== undefined) return refused(refusal);
    const outcome = inserted[next++];
    if (outcome === undefined) throw new Error(`${ready.length} rows were inserted with ${inserted.length} results.`);
    if (outcome.ok) targets.add({ ...row, ...outcome.row });
    return outcome;
  });
}

function refused(missing: readonly MissingReference[]): Outcome<Row> {
  return { ok: false, why: "reference", missing };
}
