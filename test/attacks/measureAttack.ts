import type { Attack, AttackedStore } from "./attack.js";
import { type AttackedProcess, startAttackedProcess } from "./attackedProcess.js";
import type { Hold } from "./holdMeter.js";

/** How often an attack is made; what counts is its best run, since garbage collection and compilation are not the attack's doing. */
const runs = 10;

/** Makes attacks on processes of one store: those that need nothing prepared share a process, and get one of their own if that was not enough. */
export interface Measurer {
  /**
   * Makes an attack and measures the longest hold of the event loop.
   *
   * @param isEnough whether the best of some runs is good enough to end early; by default none is
   * @returns that of the best run
   */
  measure(attack: Attack, isEnough?: IsEnough): Promise<Hold>;
  end(): Promise<void>;
}

/** @param runs how many runs were made */
export type IsEnough = (cpuMs: number, runs: number) => boolean;

export function measurer(store: AttackedStore): Measurer {
  let shared: Promise<AttackedProcess> | undefined;
  return {
    async measure(attack, isEnough) {
      if (attack.prepare === undefined) {
        shared ??= startAttackedProcess(store);
        const hold = await bestOf(attack, await shared, isEnough);
        // Earlier attacks have left rows: collecting the garbage of a large heap is not this attack's doing.
        if (isEnough?.(hold.cpuMs, runs) !== false) return hold;
      }
      const own = await startAttackedProcess(store);
      try {
        await attack.prepare?.(own);
        return await bestOf(attack, own, isEnough);
      } finally {
        await own.end();
      }
    },
    async end() {
      await (await shared)?.end();
    },
  };
}

async function bestOf(attack: Attack, attacked: AttackedProcess, isEnough: IsEnough | undefined): Promise<Hold> {
  let best: Hold | undefined;
  for (let run = 0; run < runs; run++) {
    const hold = await attacked.measure(() => attack.run(attacked, run));
    if (best === undefined || hold.cpuMs < best.cpuMs) best = hold;
    if (isEnough?.(best.cpuMs, run + 1)) break;
  }
  if (best === undefined) throw new Error(`"${attack.name}" was never made.`);
  return best;
}
