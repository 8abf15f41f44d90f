import type { Host, Store } from "../tools/serverOptions.js";

/** The names of workloads, in the order of the columns below. */
const names: readonly string[] = ["get", "304", "list20", "list100", "cursor20", "post", "patch"];

/** The most that restwright may cost in terms of the hand-written server, with 16 connections. */
const bars: Readonly<Partial<Record<`${Host}/${Store}`, Readonly<Partial<Record<keyof Bars, readonly number[]>>>>>> = {
  "fastify/postgres": { node: [0.75, 0.6, 1.05, 1.05, 1.05, 0.8, 0.8], together: [0.65, 0.5, 0.95, 0.9, 0.75, 0.65, 0.7] },
  "fastify/sqlite": { node: [1, 0.95, 0.95, 0.85, 1, 0.45, 0.45] },
  "fastify/memory": { node: [1.05, 1, 1.1, 1.1, 1.2, 1.25, 1] },
};
const barConnections = 16;

/** The most that each ratio to the hand-written server may be; one without a bar is absent. */
export interface Bars {
  /** CPU time of the process. */
  readonly node?: number | undefined;
  /** The same with that of the database. */
  readonly together?: number | undefined;
}

/** What is measured, as far as bars depend on it. */
export interface BarKey {
  readonly host: Host;
  readonly store: Store;
  readonly workload: string;
  readonly connections: number;
}

export function barsOf({ host, store, workload, connections }: BarKey): Bars {
  const index = names.indexOf(workload);
  const pair = connections === barConnections ? bars[`${host}/${store}`] : undefined;
  return { node: pair?.node?.[index], together: pair?.together?.[index] };
}
