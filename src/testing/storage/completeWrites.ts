import type { Call, Collection, ConflictRule, InsertManyOptions, NewRow, Row, RowPatch } from "../../ground/storage/collection.js";
import { complete } from "../../ground/storage/completed/complete.js";
import type { Filter } from "../../ground/storage/filter.js";
import type { Outcome } from "../../ground/storage/outcome.js";
import type { Id, Scalar, Version } from "../../ground/storage/values/scalar.js";

/** No limit in practice; every engine accepts this number. */
const noLimit = Number.MAX_SAFE_INTEGER;

type MergeRule = Exclude<ConflictRule, string>;

/**
 * Derives all optional methods that a store lacks, those too that only the contract suite calls: `updateMany` and `removeMany` go row by row, each row decided by
 * compare-and-set, and `insertMany` merges rows whose key is taken.
 *
 * @param idField name of the collection's id field
 */
export function completeWrites(collection: Collection, idField = "id"): Required<Collection> {
  const rows = complete(collection, idField);
  if (rows === collection) return rows;
  return {
    ...rows,
    insertMany: collection.insertMany?.bind(collection) ?? ((given, call) => insertEach(collection, idField, given, call)),
    updateMany:
      collection.updateMany?.bind(collection) ??
      ((filter, patch, call) => writeEach(collection, idField, filter, call, (id, at) => collection.update(id, patch, at))),
    removeMany:
      collection.removeMany?.bind(collection) ??
      ((filter, call) => writeEach(collection, idField, filter, call, (id, at) => collection.remove(id, at))),
  };
}

async function insertEach(
  collection: Collection,
  idField: string,
  rows: readonly NewRow[],
  { onConflict = "error", operationIds, returning: _wholeRowsAnyway, ...call }: Call & InsertManyOptions,
): Promise<Outcome<Row>[]> {
  const outcomes: Outcome<Row>[] = [];
  for (const [position, row] of rows.entries()) {
    const outcome = await collection.insert(row, { ...call, operationId: operationIds?.[position] });
    const merges = !outcome.ok && outcome.why === "conflict" && typeof onConflict !== "string" && sameFields(outcome.fields, onConflict.key);
    outcomes.push(merges ? ((await mergeRow(collection, idField, row, onConflict, call)) ?? outcome) : outcome);
  }
  return outcomes;
}

function sameFields(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((field) => right.includes(field));
}

/** Sets the merged fields of the row that has the same key; `undefined` if it was removed in between. */
async function mergeRow(collection: Collection, idField: string, row: NewRow, rule: MergeRule, call: Call): Promise<Outcome<Row> | undefined> {
  const args = rule.key.map((field) => similar(field, row[field] as Scalar));
  const rows = await collection.find({ filter: { op: "and", args }, sort: [], limit: Number.MAX_SAFE_INTEGER }, call);
  const held = rows.find((candidate) => rule.key.every((field) => sameText(candidate[field], row[field]))) ?? rows[0];
  if (held === undefined) return undefined;
  const merged = Object.fromEntries(rule.merge.map((field) => [field, row[field]]));
  const patch: RowPatch = { ...merged, _version: row._version, _updatedAt: row._updatedAt };
  const outcome = await collection.update(held[idField] as Id, patch, call);
  return outcome.ok ? { ...outcome, created: false } : outcome;
}

/** The key is taken, but only the store knows whether it ignores case: all rows that differ at most by case are candidates. */
function similar(field: string, value: Scalar): Filter {
  if (typeof value !== "string") return { op: "eq", path: [field], value };
  return { op: "like", path: [field], parts: [value], fold: true };
}

function sameText(left: unknown, right: unknown): boolean {
  if (typeof left === "string" && typeof right === "string") return left.normalize("NFC") === right.normalize("NFC");
  return true;
}

type WriteIfUnchanged = (id: Id, call: Call & { readonly ifVersion: Version }) => Promise<Outcome<Row>>;

/** Writes each row that matches now; a row that another write changes in between is read again. */
async function writeEach(collection: Collection, idField: string, filter: Filter | undefined, call: Call, write: WriteIfUnchanged): Promise<number> {
  const found = await collection.find({ filter, sort: [], fields: [], limit: noLimit }, call);
  let written = 0;
  for (const first of found) {
    const id = idOf(first, idField);
    let row: Row | undefined = first;
    while (row !== undefined) {
      const outcome = await write(id, { ...call, ifVersion: row._version });
      if (outcome.ok) written += 1;
      else if (outcome.why === "conflict") throw new Error(`Cannot set ${outcome.fields.join(", ")} to one value in many rows: it is a unique key.`);
      const isStale: boolean = !outcome.ok && outcome.why === "stale";
      row = isStale ? await findAgain(collection, { op: "eq", path: [idField], value: id }, filter, call) : undefined;
    }
  }
  return written;
}

async function findAgain(collection: Collection, byId: Filter, filter: Filter | undefined, call: Call): Promise<Row | undefined> {
  const args = filter === undefined ? [byId] : [byId, filter];
  const [row] = await collection.find({ filter: { op: "and", args }, sort: [], fields: [], limit: 1 }, call);
  return row;
}

function idOf(row: Row, idField: string): Id {
  const id = row[idField];
  if (typeof id === "string" || typeof id === "number" || typeof id === "bigint") return id;
  throw new TypeError(`The rows that the store found have no id in "${idField}"; pass the name of the id field to completeWrites().`);
}
