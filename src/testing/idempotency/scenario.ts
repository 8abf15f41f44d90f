import type { IdempotencyStage } from "./stage.js";

/** What a store must have for a scenario to make sense. */
export interface IdempotencyNeeds {
  readonly renew?: true | undefined;
  readonly purge?: true | undefined;
  readonly transactions?: true | undefined;
}

/** One promise of the contract and how to check it. */
export interface IdempotencyScenario {
  readonly name: string;
  readonly needs?: IdempotencyNeeds | undefined;
  run(stage: IdempotencyStage): Promise<void>;
}

/** Why the store is let off a scenario; `undefined` where it is not. */
export function skipReason(needs: IdempotencyNeeds, { store, storage }: IdempotencyStage): string | undefined {
  if (needs.renew && store.renew === undefined) return "the store has no renew()";
  if (needs.purge && store.purge === undefined) return "the store has no purge()";
  if (needs.transactions && storage === undefined) return "the store stands alone, without a storage";
  if (needs.transactions && storage?.transaction === undefined) return `${storage?.name} has no transaction()`;
  return undefined;
}
