import type { Collection } from "../storage/collection.js";
import type { Isolation } from "../storage/isolation.js";
import type { CollectionModel } from "../storage/model.js";
import type { Storage } from "../storage/storage.js";
import type { UpcomingWrites, Writer } from "./writableRows.js";

/** What runs within the transaction of a write, such as rules of the developer. */
export interface RowHooks {
  /** Whether writes of the collection run hooks. */
  concerns(collection: string): boolean;
  /** The isolation that the hooks of the collection need; `undefined` for that of the storage. */
  isolationOf(collection: string): Isolation | undefined;
  /**
   * Returns the rows of a collection with hooks. Each write runs them: what comes before, the write itself, and what comes after. The row of an outcome is the one that
   * stands when the hooks have ended.
   *
   * @param rows the same rows without hooks, in the transaction
   */
  over(rows: Required<Collection>, write: HookedWrite): Required<Collection>;
}

/** For whom, where and what is written. */
export interface HookedWrite {
  readonly writer: Writer;
  readonly model: CollectionModel;
  readonly tx: Storage;
  readonly upcoming: UpcomingWrites;
}
