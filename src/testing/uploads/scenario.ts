import type { UploadStage } from "./stage.js";

/** What a scenario needs from a store. */
export interface UploadNeeds {
  readonly transactions?: true | undefined;
}

/** One promise of the contract, and its test. */
export interface UploadScenario {
  readonly name: string;
  readonly needs?: UploadNeeds | undefined;
  run(stage: UploadStage): Promise<void>;
}

/** Why a scenario is skipped for the store; `undefined` if it is not. */
export function skipReason(needs: UploadNeeds, { storage }: UploadStage): string | undefined {
  if (needs.transactions && storage === undefined) return "the store stands alone, without a storage";
  if (needs.transactions && storage?.transaction === undefined) return `${storage?.name} has no transaction()`;
  return undefined;
}
