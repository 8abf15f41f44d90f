import { connectRedis, ownPrefix } from "../../test/adapters/stores/redis/redisServer.js";
import { type Entrant, startEntrant } from "../tools/entrant.js";
import { installPeer } from "../tools/installPeer.js";
import { Server } from "../tools/server.js";
import type { Host, Store } from "../tools/serverOptions.js";
import type { Contest } from "./contest.js";
import { peerName, peerPackage } from "./peer.js";

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
  return startEntrant({ name: "restwright", program: programs.restwright, store, options: ["--host", host] });
}

async function startWithRedis(programs: EntrantPrograms): Promise<Entrant> {
  const keys = ownPrefix();
  const entrant = await startEntrant({ name: "restwright", program: programs.redis, store: "postgres", options: ["--prefix", keys.prefix] });
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

async function startPeer(programs: EntrantPrograms): Promise<Entrant | undefined> {
  const installed = await installPeer(peerName, [peerPackage]);
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
