import type { UploadStage } from "./stage.js";

/** What a store must have for a scenario to make sense. */
export interface UploadNeeds {
  readonly transactions?: true | undefined;
}

/** One promise of the contract and how to check it. */
export interface UploadScenario {
  readonly name: string;
  readonly needs?: UploadNeeds | undefined;
  run(stage: UploadStage): Promise<void>;
}

/** Why the store is let off a scenario; `undefined` where it is not. */
export function skipReason(needs: UploadNeeds, { storage }: UploadStage): string | undefined {
  if (needs.transactions && storage === undefined) return "the store stands alone, without a storage";
  if (needs.transactions && storage?.transaction === undefined) return `${storage?.name} has no transaction()`;
  return undefined;
}
