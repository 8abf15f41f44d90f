import type { Collection } from "./collection.js";

/** The methods that only read rows. */
type Reads = "can" | "find" | "get" | "count" | "getMany" | "findGroups" | "iterate";

/** The read methods of a collection, for wrappers that change only its writes. */
export function readsOf(rows: Required<Collection>): Pick<Required<Collection>, Reads> {
  return {
    can: rows.can,
    find: (query, call) => rows.find(query, call),
    get: (id, call) => rows.get(id, call),
    count: (filter, call) => rows.count(filter, call),
    getMany: (ids, call) => rows.getMany(ids, call),
    findGroups: (query, call) => rows.findGroups(query, call),
    iterate: (query, call) => rows.iterate(query, call),
  };
}
