import type { Needs } from "../storage/scenario.js";
import type { CollectionStage } from "./collectionStage.js";

/** One promise of a collection, and its test. */
export interface CollectionScenario {
  readonly name: string;
  readonly needs?: (Needs & { readonly tenants?: true | undefined }) | undefined;
  run(stage: CollectionStage): Promise<void>;
}
