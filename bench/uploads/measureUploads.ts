import { setTimeout as sleep } from "node:timers/promises";
import { forgetPeak, peakBytes } from "../../test/e2e/uploads/peakMemory.js";
import type { Race } from "../tools/race.js";
import type { Server } from "../tools/server.js";

/** One way to take files in. */
export interface UploadWork {
  readonly name: string;
  readonly server: Server;
  /** Brings the machine, unmeasured, into the state that all begin in. */
  prepare?(): Promise<void>;
  /** Sends what a round sends; all of it is answered. */
  send(): Promise<unknown>;
  /** Sees, unmeasured, that all of it is there, and removes it. */
  clear(): Promise<void>;
}

/** Figures by the names of the works. */
export interface MeasuredUploads {
  /** Microseconds of a round, by the clock on the wall, and of CPU time of the server. */
  readonly wall: Race;
  readonly cpu: Race;
  /** The most of resident memory in all rounds, beyond what the idle server has, in bytes. */
  readonly memory: ReadonlyMap<string, number>;
}

const warmUpRounds = 1;
const idleMs = 500;

/**
 * Has all send in turn, round by round. Nothing is left of one when the next begins, least of all for the kernel to write to the disk.
 *
 * @param works each has answered something before: a server that has loaded nothing yet is not idle
 */
export async function measureUploads(works: readonly UploadWork[], rounds: number): Promise<MeasuredUploads> {
  const wall = new Map(works.map(({ name }): [string, number[]] => [name, []]));
  const cpu = new Map(works.map(({ name }): [string, number[]] => [name, []]));
  const idle = await idleMemory(works);
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const work of works) {
      const figures = await measureRound(work);
      if (round < 0) continue;
      wall.get(work.name)?.push(figures.wall);
      cpu.get(work.name)?.push(figures.cpu);
    }
  }
  const memory = new Map(works.map(({ name, server }) => [name, peakBytes(server.processId) - (idle.get(name) ?? 0)]));
  return { wall, cpu, memory };
}

async function idleMemory(works: readonly UploadWork[]): Promise<ReadonlyMap<string, number>> {
  await sleep(idleMs);
  const idle = new Map<string, number>();
  for (const { name, server } of works) {
    idle.set(name, await server.rssBytes());
    forgetPeak(server.processId);
  }
  return idle;
}

async function measureRound({ server, prepare, send, clear }: UploadWork): Promise<{ readonly wall: number; readonly cpu: number }> {
  await prepare?.();
  const cpuBefore = await server.cpuMicroseconds();
  const begunMs = performance.now();
  await send();
  const wall = (performance.now() - begunMs) * 1_000;
  const cpu = (await server.cpuMicroseconds()) - cpuBefore;
  await clear();
  return { wall, cpu };
}
