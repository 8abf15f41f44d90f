import { draftEndScenarios } from "./draftEnds.js";
import { draftScenarios } from "./drafts.js";
import { draftTakeoverScenarios } from "./draftTakeovers.js";
import { blobKeyScenarios } from "./keys.js";
import { blobListScenarios } from "./list.js";
import { overwriteScenarios } from "./overwrite.js";
import { processScenarios } from "./processes.js";
import { blobRaceScenarios } from "./races.js";
import { rangeScenarios } from "./ranges.js";
import { readScenarios } from "./read.js";
import { removeScenarios } from "./remove.js";
import type { BlobScenario } from "./scenario.js";
import { writeScenarios } from "./write.js";

const themes: Readonly<Record<string, readonly BlobScenario[]>> = {
  write: writeScenarios,
  keys: blobKeyScenarios,
  read: readScenarios,
  ranges: rangeScenarios,
  overwrite: overwriteScenarios,
  delete: removeScenarios,
  list: blobListScenarios,
  races: blobRaceScenarios,
  processes: processScenarios,
  drafts: [...draftScenarios, ...draftEndScenarios, ...draftTakeoverScenarios].map(needingDrafts),
};

/** All scenarios of the contract; their names begin with their theme. */
export const blobScenarios: readonly BlobScenario[] = Object.entries(themes).flatMap(([theme, all]) =>
  all.map((scenario) => ({ ...scenario, name: `${theme} › ${scenario.name}` })),
);

function needingDrafts({ needs, ...scenario }: BlobScenario): BlobScenario {
  return { ...scenario, needs: { ...needs, drafts: true } };
}
