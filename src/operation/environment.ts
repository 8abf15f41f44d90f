import type { Authorize } from "../auth/authorize.js";
import type { Verifier } from "../auth/verifier.js";
import type { HttpRequest } from "../http/message.js";
import type { Timers } from "../http/timers.js";
import type { IdempotencySettings } from "../idempotency/performOnce.js";
import type { JobSettings } from "../jobs/settings.js";
import type { Limits } from "../limits/limits.js";
import type { QuerySettings } from "../query/settings.js";
import type { Secrets } from "../secrets/secrets.js";
import type { BlobStore } from "../storage/blobs.js";
import type { Collection } from "../storage/collection.js";
import type { CollectionModel } from "../storage/model.js";
import type { Storage } from "../storage/storage.js";
import type { Clock } from "./clock.js";
import type { Ids } from "./ids.js";
import type { Logger } from "./logger.js";
import type { Random } from "./random.js";
import type { RowEvents } from "./rowEvents.js";

/** What holds for the lists of all collections. */
export interface ListSettings {
  readonly query: QuerySettings;
  /** `none`: the body of a list is the bare array. */
  readonly envelope: "data" | "none";
}

/** How the items of a batch belong together. */
export interface BatchRules {
  /** Each item by itself, or all or none. */
  readonly mode: "best-effort" | "atomic";
  /** Whether clients may ask for the other, by `Prefer: handling`. */
  readonly clientMode: boolean;
}

/** What every operation may use: made once by `createService`, nothing in it belongs to a request. */
export interface Environment {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly timers: Timers;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly verifiers: readonly Verifier[];
  readonly authorize: Authorize | undefined;
  /** Origin and prefix for absolute URLs in `Location`, without a trailing slash. */
  readonly baseUrl: string | undefined;
  /** Address of the page that explains the problem codes. */
  readonly problemDocs: string | undefined;
  /** Hears of every error that is answered with 5xx. */
  readonly onError: ((error: unknown, request: HttpRequest) => void) | undefined;
  /** How lists are asked for, the same everywhere. */
  readonly lists: ListSettings;
  /** Keys for what clients carry about; there once the service has started. */
  readonly secrets: Secrets;
  /** How operations under an Idempotency-Key are remembered; `undefined` where they are not. */
  readonly idempotency: IdempotencySettings | undefined;
  /** Where the rows are; in an atomic batch the transaction of all its operations. */
  readonly storage: Storage;
  /** How batches are done unless a collection says otherwise. */
  readonly batch: BatchRules;
  /** What hears of rows that are written; `undefined` where nothing does. */
  readonly events: RowEvents | undefined;
  /** Work that goes on behind its request; `undefined` where the storage keeps no jobs. */
  readonly jobs: JobSettings | undefined;
  /** Where files are kept; `undefined` where nowhere. */
  readonly blobs: BlobStore | undefined;
  /** Runs `run` in a transaction of the storage. */
  transaction<R>(run: (tx: Storage) => Promise<R>): Promise<R>;
  /** What the storage knows of each collection, by its name. */
  readonly models: ReadonlyMap<string, CollectionModel>;
  /** The rows of a collection, by its name. */
  collection(name: string): Required<Collection>;
}
