import type { Race } from "../tools/race.js";
import type { Sender } from "./senders.js";

/** One figure a round of each sender. */
export interface MeasuredSenders {
  /** Microseconds of CPU time of this process for one delivery. */
  readonly cpu: Race;
  /** Deliveries a second, by the clock on the wall. */
  readonly perSecond: Race;
}

const warmUpRounds = 2;

/** Measures the senders in turn, round by round: whatever slows the machine down for a while slows all of them. */
export async function measureSenders(
  senders: readonly Sender[],
  amount: { readonly rounds: number; readonly deliveries: number },
): Promise<MeasuredSenders> {
  const cpu = new Map(senders.map(({ name }): [string, number[]] => [name, []]));
  const perSecond = new Map(senders.map(({ name }): [string, number[]] => [name, []]));
  for (let round = -warmUpRounds; round < amount.rounds; round++) {
    for (const { name, send } of senders) {
      const [before, begin] = [process.cpuUsage(), performance.now()];
      await send(amount.deliveries);
      const seconds = (performance.now() - begin) / 1_000;
      const { user, system } = process.cpuUsage(before);
      if (round < 0) continue;
      cpu.get(name)?.push((user + system) / amount.deliveries);
      perSecond.get(name)?.push(amount.deliveries / seconds);
    }
  }
  return { cpu, perSecond };
}
