import { checkPatch, type Outcome } from "../language/patch/checkPatch.js";
import { makeDocument, makePatch, mutate, someLimits } from "./patchCases.js";
import { Picker } from "./patchPicker.js";

/** What a run has seen; the slowest patch in milliseconds, with its text. */
export interface FuzzReport {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly slowestMs: number;
  readonly slowest: string;
}

/**
 * Applies that many broken patches to documents, each checked as {@link checkPatch} does. The same seed makes the same patches.
 *
 * @throws {Error} of the first one that does not hold
 */
export function fuzzPatches(count: number, seed: number): FuzzReport {
  const pick = new Picker(seed);
  const outcomes: Record<Outcome, number> = { applied: 0, malformed: 0, conflict: 0 };
  let [slowestMs, slowest] = [0, ""];
  for (let run = 0; run < count; run++) {
    const document = makeDocument(pick);
    const patch = mutate(pick, makePatch(pick, document));
    const start = performance.now();
    try {
      outcomes[checkPatch(document, patch, pick.of(someLimits))] += 1;
    } catch (cause) {
      throw new Error(`Run ${run} of seed ${seed}: ${describe(document, patch)}`, { cause });
    }
    const took = performance.now() - start;
    if (took > slowestMs) [slowestMs, slowest] = [took, describe(document, patch)];
  }
  return { outcomes, slowestMs, slowest };
}

function describe(document: unknown, patch: unknown): string {
  return JSON.stringify({ document, patch });
}
