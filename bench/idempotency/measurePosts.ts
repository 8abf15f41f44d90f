import type { Amount } from "../requests/measure.js";
import type { Entrant } from "../tools/entrant.js";
import { runLoad } from "../tools/load.js";
import type { Race } from "../tools/race.js";
import { labelOf } from "./contest.js";
import { kinds, makePosts } from "./posts.js";
import { requireOnce } from "./requireOnce.js";

const warmUpRounds = 2;

/** Microseconds of CPU time of the server process per request: every server and kind of POST in turn, round by round. */
export async function measurePosts(entrants: readonly Entrant[], { rounds, requests }: Amount): Promise<Race> {
  const sides = entrants.map((entrant) => ({ entrant, posts: makePosts() }));
  for (const { entrant, posts } of sides) await requireOnce(entrant.server.port, posts);
  const figures = new Map(entrants.flatMap((entrant) => kinds.map((kind): [string, number[]] => [labelOf(entrant, kind), []])));
  for (let round = -warmUpRounds; round < rounds; round++) {
    for (const { entrant, posts } of sides) {
      for (const kind of kinds) {
        const figure = await costOf(entrant, posts[kind], requests);
        if (round >= 0) figures.get(labelOf(entrant, kind))?.push(figure);
      }
    }
  }
  return figures;
}

async function costOf({ server }: Entrant, next: () => string, requests: number): Promise<number> {
  const before = await server.cpuMicroseconds();
  await runLoad({ port: server.port, requests, status: 201, next });
  return ((await server.cpuMicroseconds()) - before) / requests;
}
