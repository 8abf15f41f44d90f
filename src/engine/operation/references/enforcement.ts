export { ReferenceStage } from "./referenceStage.js";
export { Removals } from "./removals.js";
export { Targets } from "./targets.js";
