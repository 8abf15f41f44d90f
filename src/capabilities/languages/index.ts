export { type LanguageOptions, languages } from "./capability.js";
export type { Catalogue, DescribeProblem } from "./catalogue.js";
