import type { JobStage } from "./stage.js";

/** What a scenario needs from a store. */
export interface JobNeeds {
  readonly transactions?: true | undefined;
  /** Claims whose answer was lost. */
  readonly unclaim?: true | undefined;
  /** Keys of jobs, and times at which they are due. */
  readonly withKey?: true | undefined;
  /** When jobs that wait are due. */
  readonly laterInMs?: true | undefined;
}

/** One promise of the contract, and its test. */
export interface JobScenario {
  readonly name: string;
  readonly needs?: JobNeeds | undefined;
  run(stage: JobStage): Promise<void>;
}

/** Why a scenario is skipped for the store; `undefined` if it is not. */
export function skipReason(needs: JobNeeds, { storage, store }: JobStage): string | undefined {
  if (needs.unclaim && store.unclaim === undefined) return "the store has no unclaim()";
  if (needs.withKey && store.withKey === undefined) return "the store has no withKey()";
  if (needs.laterInMs && store.laterInMs === undefined) return "the store has no laterInMs()";
  if (needs.transactions && storage === undefined) return "the store stands alone, without a storage";
  if (needs.transactions && storage?.transaction === undefined) return `${storage?.name} has no transaction()`;
  return undefined;
}
