import { runLoad } from "../tools/load.js";
import type { Race } from "../tools/race.js";
import { labelOf } from "./contest.js";
import { type Creations, itemsOf, kinds, makeCreations } from "./creations.js";
import type { BatchEntrant } from "./entrants.js";
import type { BatchAmount } from "./options.js";

const warmUpRounds = 2;

/** Microseconds of CPU time of the server process per user: every server and kind of request in turn, round by round. */
export async function measureBatches(entrants: readonly BatchEntrant[], { rounds, items, singles }: BatchAmount): Promise<Race> {
  const sides = entrants.map((entrant) => ({ entrant, creations: makeCreations(entrant.wire) }));
  const figures = new Map(entrants.flatMap((entrant) => kinds.map((kind): [string, number[]] => [labelOf(entrant, kind), []])));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const kind of kinds) {
      const requests = kind === "single" ? singles : items / itemsOf[kind];
      for (const { entrant, creations } of sides) {
        const figure = (await costOf(entrant, creations[kind], requests, kind === "single" ? 16 : 1)) / itemsOf[kind];
        if (round >= 0) figures.get(labelOf(entrant, kind))?.push(figure);
      }
    }
  }
  return figures;
}

/** Microseconds a request. */
async function costOf({ server }: BatchEntrant, { status, next }: Creations, requests: number, connections: number): Promise<number> {
  const before = await server.cpuMicroseconds();
  await runLoad({ port: server.port, requests, status, next, connections });
  return ((await server.cpuMicroseconds()) - before) / requests;
}
