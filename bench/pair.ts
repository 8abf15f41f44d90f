import type { Programs } from "./build.js";
import { makePlace } from "./places.js";
import { Server } from "./server.js";
import type { Host, Store } from "./serverOptions.js";

/** restwright and the hand-written server on the same framework and store. */
export interface Pair {
  readonly restwright: Server;
  readonly floor: Server;
  stop(): Promise<void>;
}

/** Starts both servers with the same rows. */
export async function startPair(programs: Pick<Programs, "restwright" | "floor">, host: Host, store: Store): Promise<Pair> {
  const [restwright, floor] = [
    await startServer(programs.restwright, host, store, "restwright"),
    await startServer(programs.floor, host, store, "floor"),
  ];
  return {
    restwright: restwright.server,
    floor: floor.server,
    async stop() {
      await Promise.all([restwright.stop(), floor.stop()]);
    },
  };
}

async function startServer(program: string, host: Host, store: Store, name: string) {
  const place = await makePlace(store, name);
  const server = await Server.start(program, ["--host", host, "--store", store, "--location", place.location]);
  await place.analyze();
  return {
    server,
    async stop() {
      await server.stop();
      await place.remove();
    },
  };
}
