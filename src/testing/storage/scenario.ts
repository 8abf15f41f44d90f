import type { Capabilities } from "../../ground/storage/collection.js";
import type { FilterOp } from "../../ground/storage/filter.js";
import type { Storage } from "../../ground/storage/storage.js";
import type { Stage } from "./stage.js";

/** What a scenario needs from a store. */
export interface Needs {
  readonly transactions?: true | undefined;
  readonly snapshot?: true | undefined;
  readonly compareAndSet?: true | undefined;
  readonly sharedLocks?: true | undefined;
  readonly unicodeFold?: true | undefined;
  readonly sort?: true | undefined;
  readonly ops?: readonly FilterOp[] | undefined;
  readonly reopen?: true | undefined;
  readonly secret?: true | undefined;
  /** The store keeps the committed writes of a collection. */
  readonly changes?: true | undefined;
  /** The store keeps versions as they are written, and numbers rows itself. */
  readonly ownTable?: true | undefined;
}

/** One promise of the contract, and its test. */
export interface Scenario {
  readonly name: string;
  readonly needs?: Needs | undefined;
  run(stage: Stage): Promise<void>;
}

/** Why a scenario is skipped for the store; `undefined` if it is not. */
export function skipReason(needs: Needs, can: Capabilities, storage: Storage, canReopen: boolean): string | undefined {
  if (needs.transactions && storage.transaction === undefined) return `${storage.name} has no transaction()`;
  if (needs.transactions && !can.transactions) return "can.transactions is false";
  if (needs.snapshot && !can.snapshot) return "can.snapshot is false";
  if (needs.compareAndSet && !can.compareAndSet) return "can.compareAndSet is false";
  if (needs.sharedLocks && !can.sharedLocks) return "can.sharedLocks is false";
  if (needs.unicodeFold && can.caseFold !== "unicode") return `can.caseFold is "${can.caseFold}"`;
  if (needs.sort && can.sortable !== "all") return 'can.sortable is not "all"';
  if (needs.ownTable && can.mapped) return "can.mapped is true";
  const missing = needs.ops?.filter((op) => !can.ops.includes(op)) ?? [];
  if (missing.length > 0) return `can.ops lacks ${missing.join(", ")}`;
  if (needs.secret && storage.secret === undefined) return `${storage.name} has no secret()`;
  if (needs.changes && storage.changes === undefined) return `${storage.name} has no changes`;
  if (needs.reopen && !canReopen) return "the options have no reopen()";
  return undefined;
}
