import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { LoadAmount } from "../requests/measure.js";
import { Connection, type Received } from "../tools/connection.js";
import { runLoad } from "../tools/load.js";
import type { Race } from "../tools/race.js";
import type { PeerEntrant } from "./entrants.js";
import { type Kind, makeRequests } from "./requests.js";

const warmUpRounds = 2;

/** The name of a server's figures. */
export function labelOf({ name }: Pick<PeerEntrant, "name">, kind: Kind): string {
  return `${name} ${kind}`;
}

/** Microseconds of CPU time of the server process per request: every server and kind of request in turn, round by round. */
export async function measureRequests(entrants: readonly PeerEntrant[], kinds: readonly Kind[], amount: LoadAmount): Promise<Race> {
  await requireSameRows(entrants);
  const sides = entrants.map((entrant) => ({ entrant, next: makeRequests(entrant.dialect) }));
  const figures = new Map(kinds.flatMap((kind) => entrants.map((entrant): [string, number[]] => [labelOf(entrant, kind), []])));
  for (let round = -warmUpRounds; round < amount.rounds; round++) {
    for (const kind of kinds) {
      for (const { entrant, next } of sides) {
        const figure = await costOf(entrant, kind, next[kind], amount);
        if (round >= 0) figures.get(labelOf(entrant, kind))?.push(figure);
      }
    }
  }
  return figures;
}

async function costOf({ server, created, maxWrites }: PeerEntrant, kind: Kind, next: () => string, amount: LoadAmount): Promise<number> {
  const isWrite = kind === "post" || kind === "patch";
  const requests = isWrite ? Math.min(amount.requests, maxWrites ?? amount.requests) : amount.requests;
  const before = await server.cpuMicroseconds();
  await runLoad({ port: server.port, requests, status: kind === "post" ? created : 200, connections: amount.connections, next });
  return ((await server.cpuMicroseconds()) - before) / requests;
}

/** @throws {AssertionError} unless all servers find the same rows, in the same order, and the same user */
async function requireSameRows(entrants: readonly PeerEntrant[]): Promise<void> {
  const [own, ...others] = await Promise.all(
    entrants.map(async ({ name, server: { port }, dialect }) => {
      const found = await exchange(port, dialect.list(100));
      strictEqual(found.status, 200, `${name}: ${found.body}`);
      const user = dialect.readUser((await exchange(port, dialect.get(77))).body);
      return { name, ids: dialect.readList(found.body), user: ["id", "name", "email", "status", "createdAt"].map((field) => user[field]) };
    }),
  );
  strictEqual(own?.ids.length, 100);
  for (const { name, ids, user } of others) deepStrictEqual([ids, user], [own?.ids, own?.user], name);
}

async function exchange(port: number, request: string): Promise<Received> {
  const connection = await Connection.open(port);
  try {
    return await connection.send(request);
  } finally {
    connection.close();
  }
}
