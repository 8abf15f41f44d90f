import type { Name } from "./names.js";

/** One way to move a file of rows. */
export interface Transfer {
  readonly name: Name;
  /** Makes what is needed, unmeasured. @returns the work of one round, which says how many rows it has moved */
  prepare(round: number): () => Promise<number>;
}

/** Microseconds a row by the names of the transfers, a figure a round. */
export interface TransferFigures {
  /** Of this process, all of its threads. */
  readonly cpu: readonly [string, readonly number[]][];
  readonly wall: readonly [string, readonly number[]][];
}

const warmUpRounds = 2;

/** Runs all of them in turn, round by round. */
export async function measureTransfers(transfers: readonly Transfer[], rounds: number): Promise<TransferFigures> {
  const cpu = new Map(transfers.map(({ name }): [string, number[]] => [name, []]));
  const wall = new Map(transfers.map(({ name }): [string, number[]] => [name, []]));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const { name, prepare } of transfers) {
      const run = prepare(round);
      const begunMs = performance.now();
      const before = process.cpuUsage();
      const rows = await run();
      const { user, system } = process.cpuUsage(before);
      const microseconds = (performance.now() - begunMs) * 1_000;
      if (round < 0) continue;
      cpu.get(name)?.push((user + system) / rows);
      wall.get(name)?.push(microseconds / rows);
    }
  }
  return { cpu: [...cpu], wall: [...wall] };
}
