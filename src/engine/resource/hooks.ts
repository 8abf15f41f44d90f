import type { z } from "zod";
import type { Isolation } from "../../ground/storage/isolation.js";
import type { Output } from "../../language/schema/output.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { Way } from "../operation/context.js";
import type { MaybePromise, NamedChanges } from "./callTypes/inputTypes.js";
import type { Without } from "./callTypes/rowTypes.js";
import type { RuleTransaction } from "./callTypes/ruleTransaction.js";

/** How a rule that reads other rows stays right while other transactions write. */
export interface ConcurrencyOptions {
  /**
   * The least isolation of the transactions that the rule runs in (default: that of the database). With `serializable` they are as if they ran one after the other; after a conflict they
   * run again, at most three times, and are then 409 `WRITE_CONFLICT`.
   */
  readonly isolation?: Isolation | undefined;
  /** Says that it does no harm if other transactions change meanwhile what the rule reads without a lock (false): nothing is logged about it then. */
  readonly concurrent?: boolean | undefined;
}

/** What every hook is told. */
export interface HookCall {
  /** 1, and one more each time that the transaction has begun again after a conflict with another one. */
  readonly attempt: number;
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

/** What a hook is told of one write, with the transaction that it is part of. */
interface WriteCall extends HookCall {
  readonly tx: RuleTransaction;
}

/** What a hook is told of all writes of a slice. */
interface SliceCall<Write> extends Omit<WriteCall, "operationId"> {
  readonly writes: readonly (Write & Pick<HookCall, "operationId">)[];
}

/** Fields to set in addition, or nothing. A field that may be missing is cleared by `null` or `undefined`. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing.
export type HookResult<Changes> = Changes | undefined | void;

/**
 * Rules of the developer that run within the transaction of each write, whichever way it came. A `ProblemError` refuses the write; any other error is a 500. Both may run
 * again, when the transaction is retried.
 *
 * @typeParam Id name of the field that identifies a row
 * @typeParam Generated names of the fields that the server fills
 * @typeParam Changed names of the members of what the hooks answer, which `defineResource` infers: one without a field does not compile
 */
export interface Hooks<S extends z.ZodObject, Id extends string, Generated extends string, Changed extends string = never>
  extends ConcurrencyOptions {
  /** Runs before the write of one row, and may change it. What it returns for a removal is refused. */
  beforeWrite?(write: ComingWrite<Output<S>, NewOf<S, Id, Generated>> & WriteCall): MaybePromise<HookResult<NamedChanges<Output<S>, Id, Changed>>>;
  /** The same for all rows of a slice at once: answers one entry for each write, in order. */
  beforeWrites?(
    call: SliceCall<ComingWrite<Output<S>, NewOf<S, Id, Generated>>>,
  ): MaybePromise<readonly HookResult<NamedChanges<Output<S>, Id, Changed>>[]>;
  /** Runs after the write of one row. */
  afterWrite?(write: DoneWrite<Output<S>> & WriteCall): MaybePromise<void>;
  /** The same for all rows of a slice at once. */
  afterWrites?(call: SliceCall<DoneWrite<Output<S>>>): MaybePromise<void>;
}

/** A row to insert: without its id if the store numbers it. An id that is a text is made before. */
type NewOf<S extends z.ZodObject, Id extends string, Generated extends string> = [Id] extends [Generated]
  ? Numbered<Output<S>, Id, Output<S>[Id & keyof Output<S>]>
  : Output<S>;

type Numbered<Row, Id, IdValue> = [IdValue] extends [number | bigint] ? Without<Row, Id> : Row;
