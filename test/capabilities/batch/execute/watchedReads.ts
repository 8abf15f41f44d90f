import type { Collection, Row, Storage } from "restwright";
import { boundStorage } from "../../../tools/storage/boundStorage.js";

/** The same storage, which tells of each row that is read by its id or by a filter outside of transactions, before the reader gets it. */
export function watchedReads(storage: Storage, onRead: (row: Row) => Promise<void>): Storage {
  const tell = async <T extends Row | undefined>(rows: readonly T[]) => {
    for (const row of rows) if (row !== undefined) await onRead(row);
  };
  const watched = (rows: Collection): Collection =>
    new Proxy(rows, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== "function") return value;
        if (member !== "find" && member !== "get" && member !== "getMany") return value.bind(target);
        return async (...args: readonly [unknown, ...unknown[]]) => {
          const found = await value.apply(target, args);
          const isWholeTable = member === "find" && (args[0] as { readonly filter?: unknown }).filter === undefined;
          if (!isWholeTable) await tell(Array.isArray(found) ? found : [found]);
          return found;
        };
      },
    });
  return boundStorage(storage, { collection: (model) => watched(storage.collection(model)) });
}
