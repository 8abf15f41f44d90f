import { callCases } from "./calls.js";
import { fileCases } from "./files.js";
import { openStage, type Place } from "./place.js";
import { rowCases } from "./rows.js";

export const contractCases = [...rowCases, ...callCases, ...fileCases];

/** What a case did on a platform. */
export interface CaseResult {
  readonly name: string;
  readonly isKept: boolean;
  /** JSON of what was seen, or the error. */
  readonly seen: string;
  readonly expected: string;
}

/** JSON whose members are in the order of their names. */
const textOf = (value: unknown) =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );

/** Runs the contract of the client, one case after the other. @param run a text that no other run on this shop has */
export async function runContract(place: Place, run: string): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const [index, { name, run: runCase, expected }] of contractCases.entries()) {
    const seen = await runCase(openStage(place, `${run}${index}`)).then(textOf, (error: unknown) => `${error}\n${(error as Error).stack}`);
    results.push({ name, isKept: seen === textOf(expected), seen, expected: textOf(expected) });
  }
  return results;
}
