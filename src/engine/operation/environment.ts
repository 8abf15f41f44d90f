import type { Clock } from "../../ground/clock/clock.js";
import type { HttpRequest } from "../../ground/http/message.js";
import type { Timers } from "../../ground/http/timers.js";
import type { Limits } from "../../ground/limits/limits.js";
import type { Secrets } from "../../ground/secrets/secrets.js";
import type { Collection } from "../../ground/storage/collection.js";
import type { CollectionModel } from "../../ground/storage/model.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Wakeups } from "../../ground/storage/wakeups.js";
import type { QuerySettings } from "../../language/query/settings.js";
import type { Authorize } from "../../parts/auth/authorize.js";
import type { Principal, Verifier } from "../../parts/auth/verifier.js";
import type { IdempotencySettings } from "../../parts/idempotency/performIdempotent.js";
import type { ApiVersion } from "./answers/apiVersion.js";
import type { Ids } from "./ids/ids.js";
import type { Logger } from "./logging/logger.js";
import type { Offers } from "./offers.js";
import type { PrincipalOptions } from "./principals.js";
import type { Random } from "./random.js";
import type { References } from "./references/references.js";
import type { RowRules } from "./rules/rowRules.js";
import type { Scopes } from "./rules/scopes.js";
import type { ServiceTransactionOptions } from "./transaction/runTransaction.js";
import type { RowEvents } from "./write/rowEvents.js";
import type { RowHooks } from "./write/rowHooks.js";

/** Settings of the lists of all collections. */
export interface ListSettings {
  readonly query: QuerySettings;
  /** Whether a parameter of the query is part of credentials. Links do not repeat it: it would not hold for them. */
  readonly isCredential: QuerySettings["ignores"];
  /** `none`: the body of a list is the bare array. */
  readonly envelope: "data" | "none";
}

/** What every operation may use. `createService` creates it once; nothing in it belongs to a single request. */
export interface Environment {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly timers: Timers;
  readonly limits: Limits;
  readonly logger: Logger;
  readonly verifiers: readonly Verifier[];
  /** Whether requests without credentials are served where their operation does not say it. */
  readonly anonymousAllowed: boolean;
  readonly authorize: Authorize | undefined;
  /** How jobs renew their principals; `undefined` if the developer has not said it. */
  readonly principals?: PrincipalOptions | undefined;
  /** Origin and prefix for absolute URLs in `Location`, without a trailing slash. */
  readonly baseUrl: string | undefined;
  /** How many proxies of the operator each request passes, for the address of the client. */
  readonly trustedHops: number;
  /** Address of the page that explains the problem codes. */
  readonly problemDocs: string | undefined;
  /** Called with every error that is answered with 5xx. */
  readonly onError: ((error: unknown, request: HttpRequest) => void) | undefined;
  /** Settings for reading list queries, the same for all collections. */
  readonly lists: ListSettings;
  /** Keys that sign the tokens that clients hold, such as cursors; available after the service has started. */
  readonly secrets: Secrets;
  /** How operations under an Idempotency-Key are recorded; `undefined` if keys are not supported. */
  readonly idempotency: IdempotencySettings | undefined;
  /** The version of the API whose rows this environment reads and writes; `undefined` if these are the rows of the schemas. */
  readonly version?: ApiVersion | undefined;
  /** The environments of the versions whose rows differ from the schemas'. */
  readonly versions: ReadonlyMap<string, Environment>;
  /** The words that have paths of their own below `/{collection}/`, such as `batch`, as the keys of a map: a row with one of them as its id has no path. */
  fixedSegments(collection: string): ReadonlyMap<string, unknown>;
  /** The storage of the rows; in an atomic batch the transaction that all its operations share. */
  readonly storage: Storage;
  /** How processes tell each other of new work; `undefined` if they only poll. */
  readonly wakeups?: Wakeups | undefined;
  /** Called with every written row; `undefined` if no capability listens. */
  readonly events: RowEvents | undefined;
  /** The developer's rules that run with each write; `undefined` if there are none. */
  readonly hooks: RowHooks | undefined;
  /** Foreign keys that are enforced. */
  readonly references: References;
  /** What the capabilities of the service offer to each other. */
  readonly offers: Offers;
  /** Runs `run` in a transaction of the storage, and again after a conflict; within a transaction, in a savepoint. */
  transaction<R>(run: (tx: Storage) => Promise<R>, options?: ServiceTransactionOptions): Promise<R>;
  /** The storage model of each collection, by its name. */
  readonly models: ReadonlyMap<string, CollectionModel>;
  /** The scopes and stamps of all collections, by their names; `undefined` if there are none. */
  readonly rules: ReadonlyMap<string, RowRules> | undefined;
  /** The scopes of a principal; `undefined` if there are no rules. */
  scopesOf(principal: Principal): Scopes | undefined;
  /** The rows of a collection, by its name. For rows that a client asks for, use `readableRows`. */
  collection(name: string): Required<Collection>;
  /** The same as the schema has them, below the rows of a version. */
  schemaRows(name: string): Required<Collection>;
}
