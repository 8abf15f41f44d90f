import type { Principal } from "../auth/verifier.js";
import type { Way } from "../operation/context.js";

/** What every hook is told. */
export interface HookCall {
  /** The same in every attempt of the write: pass it to the receiver of an effect, so that the effect happens once. */
  readonly operationId: string;
  /** Aborts when the time of the hook is over. It does not abort when the client disconnects. */
  readonly signal: AbortSignal;
  /** `undefined` for the system. */
  readonly principal: Principal | undefined;
  readonly requestId: string;
  /** How the write came about. */
  readonly way: Way;
}

/** A write that is about to happen. `changes` holds the fields that the caller named, with their new values. */
export type ComingWrite<Row, New = Row> =
  | { readonly kind: "create"; readonly before: undefined; readonly next: Readonly<New>; readonly changes: Readonly<Partial<Row>> }
  | { readonly kind: "update"; readonly before: Readonly<Row>; readonly next: Readonly<Row>; readonly changes: Readonly<Partial<Row>> }
  | { readonly kind: "remove"; readonly before: Readonly<Row>; readonly next: undefined; readonly changes: undefined };

/** A write that has happened and is not committed yet. `row` is the row as it is stored; of a removal the last one. */
export type DoneWrite<Row> =
  | { readonly kind: "create"; readonly before: undefined; readonly row: Readonly<Row>; readonly changes: Readonly<Partial<Row>> }
  | { readonly kind: "update"; readonly before: Readonly<Row>; readonly row: Readonly<Row>; readonly changes: Readonly<Partial<Row>> }
  | { readonly kind: "remove"; readonly before: Readonly<Row>; readonly row: Readonly<Row>; readonly changes: undefined };

/** Fields to set in addition. A field that may be missing is cleared by `null` or `undefined`. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing.
export type HookResult<Row> = Readonly<Partial<Row>> | undefined | void;

type MaybePromise<T> = T | Promise<T>;

/**
 * Rules of the developer that run within the transaction of each write, whichever way it came. A `ProblemError` refuses the write; any other error is a 500. Both may run
 * again, when the transaction is retried.
 *
 * @typeParam Tx what the hooks may use of the transaction
 */
export interface Hooks<Row, New, Tx> {
  /** Runs before the write of one row, and may change it. What it returns for a removal is refused. */
  beforeWrite?(write: ComingWrite<Row, New> & HookCall & { readonly tx: Tx }): MaybePromise<HookResult<Row>>;
  /** The same for all rows of a slice at once: answers one entry for each write, in order. */
  beforeWrites?(
    call: Omit<HookCall, "operationId"> & { readonly tx: Tx; readonly writes: readonly (ComingWrite<Row, New> & Pick<HookCall, "operationId">)[] },
  ): MaybePromise<readonly HookResult<Row>[]>;
  /** Runs after the write of one row. */
  afterWrite?(write: DoneWrite<Row> & HookCall & { readonly tx: Tx }): MaybePromise<void>;
  /** The same for all rows of a slice at once. */
  afterWrites?(
    call: Omit<HookCall, "operationId"> & { readonly tx: Tx; readonly writes: readonly (DoneWrite<Row> & Pick<HookCall, "operationId">)[] },
  ): MaybePromise<void>;
}
