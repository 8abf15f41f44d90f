import type { Call, Collection, CountOptions, IterateOptions, Row, RowUpdate } from "../collection.js";
import type { Filter } from "../filter.js";
import type { Outcome } from "../outcome.js";
import type { Query } from "../query.js";
import { findGroupsByPages } from "./completeGroups.js";
import { insertOneByOne } from "./completeInsert.js";

/** No limit in practice; every engine accepts this number. */
const noLimit = Number.MAX_SAFE_INTEGER;

/**
 * Derives the optional methods that a store lacks from its five required ones, with the same outcomes but not in one step. `iterate` reads by offset, so its query
 * needs a total order. `updateMany` and `removeMany` are refused: rows are written by their ids, so that nothing but the contract suite of stores needs them.
 *
 * @param idField name of the collection's id field
 */
export function complete(collection: Collection, idField = "id"): Required<Collection> {
  if (isComplete(collection)) return collection;
  return {
    can: collection.can,
    find: (query, call) => collection.find(query, call),
    get: (id, call) => collection.get(id, call),
    insert: (row, call) => collection.insert(row, call),
    update: (id, patch, call) => collection.update(id, patch, call),
    remove: (id, call) => collection.remove(id, call),
    count: collection.count?.bind(collection) ?? ((filter, call) => countFound(collection, filter, call)),
    findAndCount: collection.findAndCount?.bind(collection) ?? (async (query, _total, call) => ({ rows: await collection.find(query, call) })),
    getMany:
      collection.getMany?.bind(collection) ??
      (async (ids, call) => collection.find({ filter: { op: "in", path: [idField], values: ids }, sort: [], limit: noLimit }, call)),
    findGroups: collection.findGroups?.bind(collection) ?? ((query, call) => findGroupsByPages(collection, idField, query, call)),
    insertMany: collection.insertMany?.bind(collection) ?? ((rows, call) => insertOneByOne(collection, rows, call)),
    updateEach: collection.updateEach?.bind(collection) ?? ((updates, call) => updateOneByOne(collection, updates, call)),
    updateMany: collection.updateMany?.bind(collection) ?? refused,
    removeMany: collection.removeMany?.bind(collection) ?? refused,
    isSameVersion: collection.isSameVersion?.bind(collection) ?? (async () => false),
    iterate: collection.iterate?.bind(collection) ?? ((query, call) => iteratePages(collection, query, call)),
  };
}

async function refused(): Promise<never> {
  throw new Error("This store has no writes by filter; write the rows by their ids.");
}

function isComplete(collection: Collection): collection is Required<Collection> {
  const { count, findAndCount, getMany, findGroups, insertMany, updateEach, updateMany, removeMany, isSameVersion, iterate } = collection;
  return [count, findAndCount, getMany, findGroups, insertMany, updateEach, updateMany, removeMany, isSameVersion, iterate].every(
    (method) => method !== undefined,
  );
}

async function updateOneByOne(collection: Collection, updates: readonly RowUpdate[], call: Call): Promise<Outcome<Row>[]> {
  const outcomes: Outcome<Row>[] = [];
  for (const { id, patch, ifVersion, replace } of updates) outcomes.push(await collection.update(id, patch, { ...call, ifVersion, replace }));
  return outcomes;
}

async function countFound(collection: Collection, filter: Filter | undefined, { max = noLimit, ...call }: Call & CountOptions): Promise<number> {
  const rows = await collection.find({ filter, sort: [], fields: [], limit: max }, call);
  return rows.length;
}

async function* iteratePages(
  collection: Collection,
  query: Query,
  { batch = 1_000, ...call }: Call & IterateOptions,
): AsyncGenerator<Row[], void, void> {
  let offset = query.offset ?? 0;
  let remaining = query.limit;
  while (remaining > 0) {
    const limit = Math.min(batch, remaining);
    const rows = await collection.find({ ...query, offset, limit }, call);
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    offset += rows.length;
    remaining -= rows.length;
  }
}
