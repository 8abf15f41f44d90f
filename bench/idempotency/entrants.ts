import { connectRedis, ownPrefix } from "../../test/stores/redisServer.js";
import { makePlace } from "../places.js";
import { Server } from "../server.js";
import type { Host, Store } from "../serverOptions.js";
import type { Contest } from "./contest.js";
import { installPeer, peerName } from "./peer.js";

/** A server that takes part. */
export interface Entrant {
  readonly name: string;
  readonly server: Server;
  stop(): Promise<void>;
}

/** Paths of the compiled servers. */
export type EntrantPrograms = Readonly<Record<"restwright" | "redis" | "peer", string>>;

/** Starts the servers of a contest, restwright's first. */
export async function startEntrants(programs: EntrantPrograms, contest: Contest): Promise<readonly Entrant[]> {
  switch (contest) {
    case "memory":
    case "sqlite":
    case "postgres":
      return [await startRestwright(programs, "fastify", contest)];
    case "redis":
      return [await startWithRedis(programs)];
    case "express": {
      const peer = await startPeer(programs);
      return [await startRestwright(programs, "express", "memory"), ...(peer === undefined ? [] : [peer])];
    }
  }
}

function startRestwright(programs: EntrantPrograms, host: Host, store: Store): Promise<Entrant> {
  return startOnStore(programs.restwright, store, ["--host", host, "--store", store]);
}

async function startWithRedis(programs: EntrantPrograms): Promise<Entrant> {
  const keys = ownPrefix();
  const entrant = await startOnStore(programs.redis, "postgres", ["--prefix", keys.prefix]);
  return {
    ...entrant,
    async stop() {
      await entrant.stop();
      const client = connectRedis();
      await keys.remove(client);
      client.disconnect();
    },
  };
}

async function startOnStore(program: string, store: Store, options: readonly string[]): Promise<Entrant> {
  const place = await makePlace(store, "keys");
  try {
    const server = await Server.start(program, [...options, "--location", place.location]);
    await place.analyze();
    return {
      name: "restwright",
      server,
      async stop() {
        await server.stop();
        await place.remove();
      },
    };
  } catch (error) {
    await place.remove();
    throw error;
  }
}

async function startPeer(programs: EntrantPrograms): Promise<Entrant | undefined> {
  const installed = await installPeer();
  if (installed === undefined) return undefined;
  const server = await Server.start(programs.peer, ["--folder", installed.folder]);
  return {
    name: peerName,
    server,
    async stop() {
      await server.stop();
      await installed.remove();
    },
  };
}
