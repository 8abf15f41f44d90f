import type { Row } from "../../ground/storage/collection.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Id } from "../../ground/storage/values/scalar.js";
import type { Context } from "../operation/context.js";
import type { Offer } from "../operation/offers.js";
import type { Operation } from "../operation/operation.js";
import type { Resource } from "./resource.js";

/** What an action of the developer has done with one row of a batch: the row, or what it responds. */
export interface BatchedOutcome {
  /** As the caller sees it; `undefined` if there is none any more. */
  readonly row: Row | undefined;
  readonly isHidden: boolean;
  readonly responded?: { readonly value: unknown; readonly status: number; readonly headers: Readonly<Record<string, string>> } | undefined;
}

/** An item of a batch of an action, whose input was read. */
export type PerformItem = (tx: Storage) => Promise<BatchedOutcome>;

/** An action on a row, as a batch runs it for many rows. */
export interface BatchedAction {
  readonly name: string;
  /** Asks the rules of the action. */
  askRules(context: Context): Promise<void>;
  /**
   * Reads the input of an item. A fault of it is thrown when the row has been judged.
   *
   * @param item.member the member of the item that contains the input, for pointers
   * @param context with the precondition of the item, and an operation id of its own
   * @returns what runs the action in a transaction
   */
  prepare(context: Context, item: { readonly id: Id; readonly input: unknown; readonly member: string }): Promise<PerformItem>;
  /** Whether an error means that the row changed meanwhile, and the item must run again. */
  isChange(error: unknown): boolean;
}

/** Makes the operation that runs an action for many rows. */
export interface ActionBatches {
  actionOperation(resource: Resource, action: BatchedAction): Operation;
}

/** What `batch()` offers. */
export const actionBatches: Offer<ActionBatches> = { name: "batch" };
