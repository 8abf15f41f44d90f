import type { Attack, AttackedStore } from "./attack.js";
import { type AttackedProcess, startAttackedProcess } from "./attackedProcess.js";
import type { Hold } from "./holdMeter.js";

/** How often an attack is made; what counts is its best run, since garbage collection and compilation are not the attack's doing. */
const runs = 10;

/** Makes attacks on processes of one store: those that need nothing prepared share a process, and get one of their own if they exceed `enoughMs` there. */
export interface Measurer {
  /**
   * Makes an attack and measures the longest hold of the event loop.
   *
   * @param enoughMs ends early after a run that stayed below
   * @returns that of the best run
   */
  measure(attack: Attack, enoughMs?: number): Promise<Hold>;
  end(): Promise<void>;
}

export function measurer(store: AttackedStore): Measurer {
  let shared: Promise<AttackedProcess> | undefined;
  return {
    async measure(attack, enoughMs = 0) {
      if (attack.prepare === undefined) {
        shared ??= startAttackedProcess(store);
        const hold = await bestOf(attack, await shared, enoughMs);
        // Earlier attacks have left rows: collecting the garbage of a large heap is not this attack's doing.
        if (hold.cpuMs < enoughMs || enoughMs === 0) return hold;
      }
      const own = await startAttackedProcess(store);
      try {
        await attack.prepare?.(own);
        return await bestOf(attack, own, enoughMs);
      } finally {
        await own.end();
      }
    },
    async end() {
      await (await shared)?.end();
    },
  };
}

async function bestOf(attack: Attack, attacked: AttackedProcess, enoughMs: number): Promise<Hold> {
  let best: Hold | undefined;
  for (let run = 0; run < runs; run++) {
    const hold = await attacked.measure(() => attack.run(attacked, run));
    if (best === undefined || hold.cpuMs < best.cpuMs) best = hold;
    if (best.cpuMs < enoughMs) break;
  }
  if (best === undefined) throw new Error(`"${attack.name}" was never made.`);
  return best;
}
