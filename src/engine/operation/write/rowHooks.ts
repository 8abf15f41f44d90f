import type { Collection } from "../../../ground/storage/collection.js";
import type { Isolation } from "../../../ground/storage/isolation.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Storage } from "../../../ground/storage/storage.js";
import type { WriteStage } from "./stage.js";
import type { UpcomingWrites, Writer } from "./writableRows.js";

/** What runs within the transaction of a write, such as rules of the developer. */
export interface RowHooks {
  /** Whether writes of the collection run hooks. */
  concerns(collection: string): boolean;
  /** The isolation that the hooks of the collection need; `undefined` for that of the storage. */
  isolationOf(collection: string): Isolation | undefined;
  /**
   * The stages of writes of a collection that run its hooks: what comes before, the write itself, and what comes after. The row of an outcome is the one that stands when
   * the hooks have ended.
   */
  stages(write: HookedWrite): readonly WriteStage[];
}

/** For whom, where and what is written. */
export interface HookedWrite {
  readonly writer: Writer;
  readonly model: CollectionModel;
  /** The rows in the transaction, without rules. */
  readonly rows: Required<Collection>;
  readonly tx: Storage;
  readonly upcoming: UpcomingWrites;
}
