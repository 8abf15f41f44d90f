import { itemModel } from "../storage/model.js";
import type { IdempotencyStage } from "./stage.js";

/** What a scenario needs from a store. */
export interface IdempotencyNeeds {
  readonly renew?: true | undefined;
  readonly unbegin?: true | undefined;
  readonly purge?: true | undefined;
  readonly counts?: true | undefined;
  readonly clock?: true | undefined;
  readonly transactions?: true | undefined;
  readonly ends?: true | undefined;
}

/** One promise of the contract, and its test. */
export interface IdempotencyScenario {
  readonly name: string;
  readonly needs?: IdempotencyNeeds | undefined;
  run(stage: IdempotencyStage): Promise<void>;
}

/** Why a scenario is skipped for the store; `undefined` if it is not. */
export function skipReason(needs: IdempotencyNeeds, { store, storage }: IdempotencyStage): string | undefined {
  if (needs.renew && store.renew === undefined) return "the store has no renew()";
  if (needs.unbegin && store.unbegin === undefined) return "the store has no unbegin()";
  if (needs.purge && store.purge === undefined) return "the store has no purge()";
  if (needs.clock && store.now === undefined) return "the store has no now()";
  if (needs.counts && store.storedBytes === undefined) return "the store has no storedBytes()";
  if ((needs.transactions || needs.ends) && storage === undefined) return "the store stands alone, without a storage";
  if (needs.transactions && storage?.transaction === undefined) return `${storage?.name} has no transaction()`;
  if (needs.ends && storage?.collection({ ...itemModel, name: "probe" }).can.endsOperations !== true)
    return `${storage?.name} ends no operation with an insert`;
  return undefined;
}
