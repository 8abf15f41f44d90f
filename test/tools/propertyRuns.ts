import { isFull } from "./extent.js";

/** fast-check's own number of runs. No property is tried less often, unless it asks for fewer. */
const minRuns = 100;

/** The part of all runs that properties are tried: PROPERTY_RUNS, as 0.5; more than 1 for a search that takes hours. By default all in a full run, otherwise a tenth. */
export const propertyScale = Number(process.env["PROPERTY_RUNS"] || (isFull ? 1 : 0.1));

if (!(propertyScale > 0)) throw new Error(`PROPERTY_RUNS is ${process.env["PROPERTY_RUNS"]}; it must be a number above 0, as 0.1.`);

/**
 * How often a property is tried in this run of the tests.
 *
 * @param runs how often in a full run
 */
export function propertyRuns(runs: number): number {
  return Math.max(Math.min(runs, minRuns), Math.round(runs * propertyScale));
}
