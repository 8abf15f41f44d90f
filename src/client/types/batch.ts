import type { ResourceAction, RowAnswer } from "../../engine/resource/actions.js";
import type { Changes, NewRow, Replacement } from "../../engine/resource/callTypes/inputTypes.js";
import type { IdOf, TypedCollection, TypesOf } from "../../engine/resource/callTypes/rowTypes.js";
import type { OperationName } from "../../engine/resource/options.js";
import type { ResourceTypes } from "../../engine/resource/resourceTypes.js";
import type { RowSchema } from "../../language/schema/output.js";
import type { BatchOptions, BatchResult } from "../calls/batch.js";
import type { GuardedOptions, WriteOptions } from "../options.js";
import type { SingleRow } from "./calls.js";
import type { Reference, References, Sent, SentInBatch, Wire } from "./wire.js";

type P = "principal";

/** An operation of a batch. Its `data` stands for what it is going to answer. */
export interface BatchOperation<T> {
  /** Its place in the batch, from 0. */
  readonly index: number;
  readonly data: References<T>;
}

/** What `send` of a batch answers. */
export interface BatchAnswer {
  /** Whether every operation succeeded. */
  readonly ok: boolean;
  /** In the order of the operations. */
  readonly results: readonly BatchResult[];
  /** The result of an operation. */
  of<T>(operation: BatchOperation<T>): BatchResult<T>;
}

type Id<S extends RowSchema, T extends ResourceTypes> = Sent<IdOf<S, T>> | Reference<Wire<IdOf<S, T>>>;

type RowOperation<S extends RowSchema, T extends ResourceTypes> = BatchOperation<SingleRow<S, T>>;

/** The operations of a collection with all of them. */
interface AllOperations<S extends RowSchema, T extends ResourceTypes> {
  get(id: Id<S, T>): RowOperation<S, T>;
  create(row: SentInBatch<NewRow<S, T, P>>, options?: WriteOptions): RowOperation<S, T>;
  update(id: Id<S, T>, changes: SentInBatch<Changes<S, T, P>>, options?: GuardedOptions): RowOperation<S, T>;
  replace(id: Id<S, T>, row: SentInBatch<Replacement<S, T, P>>, options?: GuardedOptions): RowOperation<S, T>;
  remove(id: Id<S, T>, options?: GuardedOptions): BatchOperation<undefined>;
}

/** The operation that each method needs. */
interface OperationOf {
  readonly get: "read";
  readonly create: "create";
  readonly update: "update";
  readonly replace: "replace";
  readonly remove: "remove";
}

type OperationsWith<O extends OperationName> = { [K in keyof OperationOf]: OperationOf[K] extends O ? K : never }[keyof OperationOf];

type InputWith<Input> = undefined extends Input
  ? [input?: SentInBatch<NonNullable<Input>>, options?: GuardedOptions]
  : [input: SentInBatch<Input>, options?: GuardedOptions];

type ActionOperations<S extends RowSchema, T extends ResourceTypes> = {
  readonly [K in keyof T["actions"]]: T["actions"][K] extends ResourceAction<infer On, infer Input, infer Answer, string>
    ? On extends "row"
      ? (id: Id<S, T>, ...input: InputWith<Input>) => BatchOperation<Answer extends RowAnswer ? SingleRow<S, T> : Wire<Answer>>
      : (...input: InputWith<Input>) => BatchOperation<Wire<Answer>>
    : never;
};

type OperationsOf<S extends RowSchema, T extends ResourceTypes> = Pick<AllOperations<S, T>, OperationsWith<T["operations"]>> & ActionOperations<S, T>;

/** Operations of several collections that are sent in one request. */
export type Batch<M> = BatchMethods & {
  readonly [K in Exclude<keyof M, keyof BatchMethods>]: M[K] extends TypedCollection ? OperationsOf<M[K]["schema"], TypesOf<M[K]>> : never;
};

interface BatchMethods {
  /** Sends all operations. If the service makes a job of them, waits for its end. */
  send(options?: BatchOptions): Promise<BatchAnswer>;
}
