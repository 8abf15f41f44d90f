import { feathersName } from "../peers/feathers.js";
import { type Entrant, type EntrantStart, startEntrant } from "../tools/entrant.js";
import type { InstalledPeer } from "../tools/installPeer.js";
import type { Store } from "../tools/serverOptions.js";
import { arrayWire, itemsWire, type Wire } from "./creations.js";

/** A server, and how it wants many users. */
export interface BatchEntrant extends Entrant {
  readonly wire: Wire;
}

/** Paths of the compiled servers. */
export type BatchPrograms = Readonly<Record<"restwright" | "floor" | "jsonEach" | "feathers", string>>;

/** What the servers are started with besides their store. */
export interface BatchEntrantOptions {
  /** Where Feathers was installed. */
  readonly peer: InstalledPeer | undefined;
  /** Folder for CPU profiles. */
  readonly profile: string | undefined;
}

/** Starts the servers of a store with the same rows, restwright's first. */
export async function startEntrants(programs: BatchPrograms, store: Store, { peer, profile }: BatchEntrantOptions): Promise<readonly BatchEntrant[]> {
  const starts: (Pick<EntrantStart, "name" | "program" | "options"> & { readonly wire: Wire })[] = [
    { name: "restwright", program: programs.restwright, wire: itemsWire },
    { name: "by hand", program: programs.floor, wire: itemsWire },
  ];
  if (store === "sqlite") starts.push({ name: "by hand, json", program: programs.jsonEach, wire: itemsWire });
  if (peer !== undefined) starts.push({ name: feathersName, program: programs.feathers, wire: arrayWire, options: ["--folder", peer.folder] });
  const entrants: BatchEntrant[] = [];
  try {
    for (const { wire, ...start } of starts) {
      const nodeOptions =
        profile === undefined ? [] : ["--cpu-prof", "--cpu-prof-dir", profile, "--cpu-prof-name", `${store}, ${start.name}.cpuprofile`];
      entrants.push({ ...(await startEntrant({ ...start, store, nodeOptions })), wire });
    }
    return entrants;
  } catch (error) {
    for (const entrant of entrants) await entrant.stop();
    throw error;
  }
}
