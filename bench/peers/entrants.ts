import { type Entrant, type EntrantStart, startEntrant } from "../tools/entrant.js";
import type { InstalledPeer } from "../tools/installPeer.js";
import type { Store } from "../tools/serverOptions.js";
import { feathersName } from "./feathers.js";
import { platformaticName } from "./platformatic.js";
import { type Dialect, feathersDialect, ownDialect, platformaticDialect } from "./requests.js";

/** A server, and how it wants requests. */
export interface PeerEntrant extends Entrant {
  readonly dialect: Dialect;
  /** What it answers to a POST. */
  readonly created: number;
}

/** Paths of the compiled servers. */
export type PeerPrograms = Readonly<Record<"restwright" | "floor" | "feathers" | "platformatic", string>>;

/** Where the peers were installed. */
export interface InstalledPeers {
  readonly feathers: InstalledPeer | undefined;
  readonly platformatic: InstalledPeer | undefined;
}

/** Starts the servers of a store with the same rows, restwright's first. Platformatic keeps nothing in memory. */
export async function startEntrants(
  programs: PeerPrograms,
  store: Store,
  { feathers, platformatic }: InstalledPeers,
): Promise<readonly PeerEntrant[]> {
  const starts: (Pick<EntrantStart, "name" | "program" | "options"> & Pick<PeerEntrant, "dialect" | "created">)[] = [
    { name: "restwright", program: programs.restwright, dialect: ownDialect, created: 201 },
    { name: "by hand", program: programs.floor, dialect: ownDialect, created: 201 },
  ];
  const installed = ({ folder }: InstalledPeer) => ["--folder", folder];
  if (feathers !== undefined) {
    starts.push({ name: feathersName, program: programs.feathers, dialect: feathersDialect, created: 201, options: installed(feathers) });
  }
  if (platformatic !== undefined && store === "sqlite") {
    starts.push({
      name: platformaticName,
      program: programs.platformatic,
      dialect: platformaticDialect,
      created: 200,
      options: installed(platformatic),
    });
  }
  const entrants: PeerEntrant[] = [];
  try {
    for (const { dialect, created, ...start } of starts) entrants.push({ ...(await startEntrant({ ...start, store })), dialect, created });
    return entrants;
  } catch (error) {
    for (const entrant of entrants) await entrant.stop();
    throw error;
  }
}
