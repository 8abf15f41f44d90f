import { type Entrant, type EntrantStart, startEntrant } from "../tools/entrant.js";
import type { InstalledPeer } from "../tools/installPeer.js";
import type { Store } from "../tools/serverOptions.js";
import type { Peer } from "./peer.js";
import { type Dialect, ownDialect } from "./requests.js";

/** A server, and how it wants requests. */
export interface PeerEntrant extends Entrant {
  readonly dialect: Dialect;
  /** What it answers to a POST. */
  readonly created: number;
  /** Writes of one round, if it is too slow for as many as the others. */
  readonly maxWrites: number | undefined;
}

/** A peer that was installed. */
export interface ReadyPeer {
  readonly peer: Peer;
  readonly installed: InstalledPeer;
  /** Path of its compiled server. */
  readonly program: string;
}

/** Paths of the compiled servers that need no installation. */
export type OwnPrograms = Readonly<Record<"restwright" | "floor", string>>;

/** Starts the servers of a store with the same rows, restwright's first. */
export async function startEntrants(programs: OwnPrograms, store: Store, peers: readonly ReadyPeer[]): Promise<readonly PeerEntrant[]> {
  const own = { dialect: ownDialect, created: 201, maxWrites: undefined };
  const starts: (Pick<EntrantStart, "name" | "program" | "options"> & Omit<PeerEntrant, keyof Entrant>)[] = [
    { name: "restwright", program: programs.restwright, ...own },
    { name: "by hand", program: programs.floor, ...own },
    ...peers
      .filter(({ peer }) => peer.stores.includes(store))
      .map(({ peer: { name, dialect, created, maxWrites }, installed, program }) => {
        return { name, program, dialect, created, maxWrites, options: ["--folder", installed.folder] };
      }),
  ];
  const entrants: PeerEntrant[] = [];
  try {
    for (const { dialect, created, maxWrites, ...start } of starts) {
      entrants.push({ ...(await startEntrant({ ...start, store })), dialect, created, maxWrites });
    }
    return entrants;
  } catch (error) {
    for (const entrant of entrants) await entrant.stop();
    throw error;
  }
}
