import type { Programs } from "../tools/build.js";
import { type EngineTime, openEngineTime } from "../tools/engineTime.js";
import { type PlacedEntrant, startEntrant } from "../tools/entrant.js";
import type { Server } from "../tools/server.js";
import type { Host, Store } from "../tools/serverOptions.js";

/** One server of a pair. */
export interface Side {
  readonly server: Server;
  /** What the processes of its database use, of which each side has its own; `undefined` unless they can be read. */
  readonly engine: EngineTime | undefined;
}

/** restwright and the hand-written server on the same framework and store. */
export interface Pair {
  readonly restwright: Side;
  readonly floor: Side;
  stop(): Promise<void>;
}

/** Starts both servers with the same rows. */
export async function startPair(programs: Pick<Programs, "restwright" | "floor">, host: Host, store: Store): Promise<Pair> {
  const options = ["--host", host];
  const [restwright, floor] = [
    await startEntrant({ name: "restwright", program: programs.restwright, store, options }),
    await startEntrant({ name: "floor", program: programs.floor, store, options }),
  ];
  const sides = { restwright: await sideOf(restwright, store), floor: await sideOf(floor, store) };
  return {
    ...sides,
    async stop() {
      await Promise.all([sides.restwright.engine?.close(), sides.floor.engine?.close()]);
      await Promise.all([restwright.stop(), floor.stop()]);
    },
  };
}

async function sideOf({ server, location }: PlacedEntrant, store: Store): Promise<Side> {
  return { server, engine: store === "postgres" ? await openEngineTime(location) : undefined };
}
