import type { Call, Collection, InsertManyOptions, NewRow, Row } from "../../storage/collection.js";
import type { MissingReference, Outcome } from "../../storage/outcome.js";
import { readsOf } from "../../storage/readsOf.js";
import type { Removals } from "./removals.js";
import type { Targets } from "./targets.js";

/**
 * The rows of a transaction. It refuses writes whose foreign keys reference no row of the tenant. The referenced rows are locked until the transaction ends,
 * so that they cannot be deleted in the meantime.
 *
 * @param removals removes rows that other rows may reference; `undefined` if no relation leads to the collection
 */
export function referencedRows(rows: Required<Collection>, targets: Targets, removals: Removals | undefined): Required<Collection> {
  return {
    ...readsOf(rows),
    remove: (id, call) => (removals ?? rows).remove(id, call),
    async insert(row, call) {
      const missing = (await targets.missing([row], call)).get(row);
      if (missing !== undefined) return refused(missing);
      const outcome = await rows.insert(row, call);
      if (outcome.ok) targets.add(outcome.row);
      return outcome;
    },
    async insertMany(given, call) {
      targets.expect(given);
      const outcomes: Outcome<Row>[] = [];
      // A row may reference an earlier row of the same call. The earlier row must be inserted first, because its insert may fail.
      for (const part of targets.parts(given)) outcomes.push(...(await insertPart(rows, targets, part, { ...call, first: outcomes.length })));
      return outcomes;
    },
    async update(id, patch, call) {
      const missing = (await targets.missing([patch], call)).get(patch);
      if (missing === undefined) return rows.update(id, patch, call);
      const before = await rows.get(id, call);
      if (before === undefined) return { ok: false, why: "missing" };
      if (call.ifVersion !== undefined && before._version !== call.ifVersion) return { ok: false, why: "stale", current: before };
      // An unchanged key may reference a row that was deleted before the key was enforced.
      const changed = missing.filter(({ field, id: named }) => String(before[field]) !== String(named));
      return changed.length > 0 ? refused(changed) : rows.update(id, patch, call);
    },
    updateMany: () => Promise.reject(unnamed("updateMany")),
    removeMany: () => Promise.reject(unnamed("removeMany")),
  };
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

function unnamed(method: string): Error {
  return new Error(`Rows with foreign keys are written by their ids; "${method}" names none.`);
}
