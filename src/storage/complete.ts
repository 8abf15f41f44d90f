import type { Call, Collection, Row } from "./collection.js";
import { findGroupsByPages } from "./completeGroups.js";
import { insertOneByOne } from "./completeInsert.js";
import type { Filter } from "./filter.js";
import type { Outcome } from "./outcome.js";
import type { Query } from "./query.js";
import type { Id, Version } from "./scalar.js";

/** No limit in practice; every engine accepts this number. */
const noLimit = Number.MAX_SAFE_INTEGER;

/**
 * Derives the optional methods that a store lacks from its five required ones, with the same outcomes but not in one step:
 * `updateMany` and `removeMany` go row by row, each row decided by compare-and-set. `iterate` reads by offset, so its query needs a total order.
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
    insertMany: collection.insertMany?.bind(collection) ?? ((rows, call) => insertOneByOne(collection, idField, rows, call)),
    updateMany:
      collection.updateMany?.bind(collection) ??
      ((filter, patch, call) => writeEach(collection, idField, filter, call, (id, at) => collection.update(id, patch, at))),
    removeMany:
      collection.removeMany?.bind(collection) ??
      ((filter, call) => writeEach(collection, idField, filter, call, (id, at) => collection.remove(id, at))),
    iterate: collection.iterate?.bind(collection) ?? ((query, call) => iteratePages(collection, query, call)),
  };
}

function isComplete(collection: Collection): collection is Required<Collection> {
  const { count, findAndCount, getMany, findGroups, insertMany, updateMany, removeMany, iterate } = collection;
  return [count, findAndCount, getMany, findGroups, insertMany, updateMany, removeMany, iterate].every((method) => method !== undefined);
}

async function countFound(
  collection: Collection,
  filter: Filter | undefined,
  { max = noLimit, ...call }: Call & { readonly max?: number | undefined },
): Promise<number> {
  const rows = await collection.find({ filter, sort: [], fields: [], limit: max }, call);
  return rows.length;
}

async function* iteratePages(
  collection: Collection,
  query: Query,
  { batch = 1_000, ...call }: Call & { readonly batch?: number | undefined },
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
  throw new TypeError(`The rows that the store found have no id in "${idField}"; pass the name of the id field to complete().`);
}
