import type { BlobStage } from "./stage.js";

/** What a scenario needs from a store. */
export interface BlobNeeds {
  readonly again?: true | undefined;
  readonly dieWriting?: true | undefined;
  readonly drafts?: true | undefined;
  readonly readDrafts?: true | undefined;
}

/** One promise of the contract, and its test. */
export interface BlobScenario {
  readonly name: string;
  readonly needs?: BlobNeeds | undefined;
  run(stage: BlobStage): Promise<void>;
}

/** Why a scenario is skipped for the store; `undefined` if it is not. */
export function skipReason(needs: BlobNeeds, { subject }: BlobStage): string | undefined {
  if (needs.again && subject.again === undefined) return "no other store can be opened on the same data";
  if (needs.dieWriting && subject.dieWriting === undefined) return "no process can die while it writes";
  if (needs.drafts && subject.store.drafts === undefined) return "the store keeps no drafts";
  if (needs.readDrafts && subject.store.drafts?.read === undefined) return "the store cannot read drafts";
  return undefined;
}
