/** fast-check's own number of runs. No property is tried less often, unless it asks for fewer. */
const minRuns = 100;

/** The part of all runs that properties are tried: PROPERTY_RUNS, as 0.1; more than 1 for a search that takes hours. */
export const propertyScale = Number(process.env["PROPERTY_RUNS"] || 1);

if (!(propertyScale > 0)) throw new Error(`PROPERTY_RUNS is ${process.env["PROPERTY_RUNS"]}; it must be a number above 0, as 0.1.`);

/**
 * How often a property is tried in this run of the tests.
 *
 * @param runs how often in the gate, where PROPERTY_RUNS is not set
 */
export function propertyRuns(runs: number): number {
  return Math.max(Math.min(runs, minRuns), Math.round(runs * propertyScale));
}
