import { parseArgs } from "node:util";
import { type PeersRun, writeRun } from "../record/recordedRun.js";
import { versionsOf } from "../record/versions.js";
import type { LoadAmount } from "../requests/measure.js";
import { buildPrograms } from "../tools/build.js";
import { installPeer } from "../tools/installPeer.js";
import { figuresOf, type Race, ratioOf } from "../tools/race.js";
import { type Comparison, formatHeat } from "../tools/raceReport.js";
import { describeRun } from "../tools/report.js";
import { oneOf, type Store } from "../tools/serverOptions.js";
import { summarize } from "../tools/statistics.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import { type OwnPrograms, type PeerEntrant, type ReadyPeer, startEntrants } from "./entrants.js";
import { labelOf, measureRequests } from "./measureRequests.js";
import { peers } from "./peer.js";
import { type Kind, kinds } from "./requests.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    requests: { type: "string", default: "1000" },
    connections: { type: "string", default: "16" },
    store: { type: "string", multiple: true, default: ["memory", "sqlite"] },
    kind: { type: "string", multiple: true, default: [...kinds] },
    peer: { type: "string", multiple: true, default: peers.map(({ name }) => name) },
    json: { type: "string" },
  },
});
const amount: LoadAmount = {
  rounds: wholeNumber("rounds", values.rounds),
  requests: wholeNumber("requests", values.requests),
  connections: wholeNumber("connections", values.connections),
};
const stores = values.store.map((store) => oneOf("store", store, ["memory", "sqlite"]));
const measuredKinds = values.kind.map((kind) => oneOf("kind", kind, kinds));
const names = peers.map(({ name }) => name);
const wanted = values.peer.map((peer) => oneOf("peer", peer, names));
const chosen = peers.filter((peer) => wanted.includes(peer.name) && peer.stores.some((store) => stores.some((each) => each === store)));

const own: OwnPrograms = await buildPrograms("peers", { restwright: "bench/requests/restwright.ts", floor: "bench/floor/main.ts" });
const sources: Readonly<Record<string, string>> = Object.fromEntries(chosen.map(({ name, source }) => [name, source]));
const programs = await buildPrograms("peerServers", sources);

/** Installs the peers one after the other; one that cannot be installed does not take part. */
async function installPeers(): Promise<readonly ReadyPeer[]> {
  const ready: ReadyPeer[] = [];
  for (const peer of chosen) {
    const installed = await installPeer(peer.name, peer.packages, peer.scripts);
    const program = programs[peer.name];
    if (installed !== undefined && program !== undefined) ready.push({ peer, installed, program });
  }
  return ready;
}

/** restwright is the first of the entrants. */
function comparisonsOf([first, ...others]: readonly PeerEntrant[]): readonly Comparison[] {
  if (first === undefined) return [];
  return others.flatMap((other) =>
    measuredKinds.map((kind) => ({ one: labelOf(first, kind), other: labelOf(other, kind), bar: other.name === "by hand" ? undefined : 1 })),
  );
}

function resultsOf(store: Store, entrants: readonly PeerEntrant[], figures: Race): PeersRun["results"] {
  const resultOf = (entrant: PeerEntrant, kind: Kind, index: number) => {
    const node = summarize(figuresOf(figures, labelOf(entrant, kind)));
    const ratio = index === 0 ? undefined : ratioOf(figures, labelOf({ name: "restwright" }, kind), labelOf(entrant, kind)).median;
    return { store, workload: kind, server: entrant.name, node, ratio };
  };
  return measuredKinds.flatMap((kind) => entrants.map((entrant, index) => resultOf(entrant, kind, index)));
}

/** Starts the servers of a store, measures them, and stops them. */
async function measureStore(store: Store, ready: readonly ReadyPeer[]): Promise<PeersRun["results"]> {
  const entrants = await startEntrants(own, store, ready);
  try {
    const figures = await measureRequests(entrants, measuredKinds, amount);
    console.log(`${formatHeat({ title: `peers, ${store}`, figures, comparisons: comparisonsOf(entrants) })}\n`);
    return resultsOf(store, entrants, figures);
  } finally {
    for (const entrant of entrants) await entrant.stop();
  }
}

/** What a reader of the tables would miss. */
function absentOf(ready: readonly ReadyPeer[]): PeersRun["absent"] {
  const isReady = (name: string) => ready.some(({ peer }) => peer.name === name);
  const notInstalled = chosen.flatMap(({ name }) => (isReady(name) ? [] : [{ server: name, reason: "its packages could not be installed." }]));
  const slow = ready.flatMap(({ peer: { name, maxWrites } }) =>
    maxWrites === undefined ? [] : [{ server: name, reason: `at most ${maxWrites} writes a round.` }],
  );
  const leftOut = names.flatMap((name) => (wanted.includes(name) ? [] : [{ server: name, reason: "not measured in this run." }]));
  const elsewhere = peers.flatMap(({ name, stores: has }) => {
    const missing = stores.filter((store) => wanted.includes(name) && !has.includes(store));
    return missing.map((store) => ({ server: name, reason: `it has no ${store} store.` }));
  });
  return [...notInstalled, ...slow, ...leftOut, ...elsewhere];
}

const ready = await installPeers();
const results: PeersRun["results"] = [];
try {
  for (const store of stores) results.push(...(await measureStore(store, ready)));
} finally {
  for (const { installed } of ready) await installed.remove();
}

if (values.json !== undefined) {
  const installedPackages = ready.flatMap(({ peer }) =>
    peer.packages.map((text) => [text.slice(0, text.lastIndexOf("@")), text.slice(text.lastIndexOf("@") + 1)]),
  );
  const versions = { ...Object.fromEntries(installedPackages), ...(await versionsOf(stores.map((store) => ["fastify", store]))) };
  writeRun(values.json, { kind: "peers", ...describeRun(new Date()), versions, ...amount, missing: [], results, absent: absentOf(ready) });
}
