import { makePlace } from "./places.js";
import { Server } from "./server.js";
import type { Store } from "./serverOptions.js";

/** A server that takes part. */
export interface Entrant {
  readonly name: string;
  readonly server: Server;
  stop(): Promise<void>;
}

/** One whose rows are in a place of its own. */
export interface PlacedEntrant extends Entrant {
  /** As `Place` has it. */
  readonly location: string;
}

/** What an entrant is started with. */
export interface EntrantStart {
  readonly name: string;
  /** Path of the compiled server; it is told its store and the place of it as `--store` and `--location`. */
  readonly program: string;
  readonly store: Store;
  readonly options?: readonly string[] | undefined;
  /** For Node itself. */
  readonly nodeOptions?: readonly string[] | undefined;
}

/** Starts a server on an empty place of its own. */
export async function startEntrant({ name, program, store, options = [], nodeOptions }: EntrantStart): Promise<PlacedEntrant> {
  const place = await makePlace(store, name.replaceAll(/\W/g, "_"));
  try {
    const server = await Server.start(program, ["--store", store, "--location", place.location, ...options], nodeOptions);
    await place.analyze();
    return {
      name,
      server,
      location: place.location,
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
