import type { Programs } from "../tools/build.js";
import { startEntrant } from "../tools/entrant.js";
import type { Server } from "../tools/server.js";
import type { Host, Store } from "../tools/serverOptions.js";

/** restwright and the hand-written server on the same framework and store. */
export interface Pair {
  readonly restwright: Server;
  readonly floor: Server;
  stop(): Promise<void>;
}

/** Starts both servers with the same rows. */
export async function startPair(programs: Pick<Programs, "restwright" | "floor">, host: Host, store: Store): Promise<Pair> {
  const options = ["--host", host];
  const [restwright, floor] = [
    await startEntrant({ name: "restwright", program: programs.restwright, store, options }),
    await startEntrant({ name: "floor", program: programs.floor, store, options }),
  ];
  return {
    restwright: restwright.server,
    floor: floor.server,
    async stop() {
      await Promise.all([restwright.stop(), floor.stop()]);
    },
  };
}
