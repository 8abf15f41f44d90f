import type { Call, Collection, InsertManyOptions, NewRow, Row } from "../../storage/collection.js";
import type { Outcome } from "../../storage/outcome.js";
import { refused } from "./referencedRows.js";
import type { Reference } from "./references.js";
import { namesItself, type Targets, type Values } from "./targets.js";

/** Inserts many rows, in as few calls as their foreign keys allow; rows that reference no row are refused. */
export async function insertReferenced(
  inner: Required<Collection>,
  targets: Targets,
  given: readonly NewRow[],
  call: Call & InsertManyOptions,
): Promise<Outcome<Row>[]> {
  targets.expect(given);
  const outcomes: Outcome<Row>[] = [];
  // A row may reference an earlier row of the same call. The earlier row must be inserted first, because its insert may fail.
  for (const part of partsOf(targets.references, given))
    outcomes.push(...(await insertPart(inner, targets, part, { ...call, first: outcomes.length })));
  return outcomes;
}

/** Splits the rows into parts so that no row references another row of its part. */
function partsOf<V extends Values>(references: readonly Reference[], rows: readonly V[]): readonly (readonly V[])[] {
  const own = references.filter(({ holder, target }) => holder === target);
  if (own.length === 0) return [rows];
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
  // Only rows of the same collection can be referenced by later ones.
  const isOwn = targets.references.some(({ holder, target }) => holder === target);
  let next = 0;
  return part.map((row) => {
    const refusal = missing.get(row);
    if (refusal !== undefined) return refused(refusal);
    const outcome = inserted[next++];
    if (outcome === undefined) throw new Error(`${ready.length} rows were inserted with ${inserted.length} results.`);
    if (outcome.ok && isOwn) targets.add({ ...row, ...outcome.row });
    return outcome;
  });
}
