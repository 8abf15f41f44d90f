import type { Collection } from "../../../src/ground/storage/collection.js";
import type { Storage } from "../../../src/ground/storage/storage.js";

/** The store as someone would write it who implements the five required methods and nothing else. */
export function requiredMethodsOnly(storage: Storage): Storage {
  return {
    name: storage.name,
    collection: (model) => required(storage.collection(model)),
    transaction: (run, options) => {
      if (storage.transaction === undefined) throw new Error(`${storage.name} has no transactions.`);
      return storage.transaction((tx) => run(requiredMethodsOnly(tx)), options);
    },
  };
}

function required(collection: Collection): Collection {
  return {
    can: { ...collection.can, snapshot: false },
    find: (query, call) => collection.find(query, call),
    get: (id, call) => collection.get(id, call),
    insert: (row, call) => collection.insert(row, call),
    update: (id, patch, call) => collection.update(id, patch, call),
    remove: (id, call) => collection.remove(id, call),
  };
}
