import type { Host, Store } from "../tools/serverOptions.js";

/** The names of workloads, in the order of the columns below. */
const names = ["get", "304", "list20", "list100", "cursor20", "post", "patch"] as const;

/** The most that restwright may cost in terms of the hand-written server, by host and store. */
const bars: Readonly<Partial<Record<`${Host}/${Store}`, readonly number[]>>> = {
  "fastify/memory": [1.1, 0.95, 1.2, 1.15, 1.2, 1.4, 1.4],
  "fastify/sqlite": [1.05, 0.95, 1.15, 1.15, 1.15, 0.55, 1],
  "fastify/postgres": [1.1, 1, 1.2, 1.15, 1.2, 1.2, 1.2],
  "express/memory": [0.75, 0.7, 1.1, 1.1, 1.1, 1, 1],
  "koa/memory": [1, 0.95, 1.2, 1.15, 1.2, 1.2, 1.2],
  "hono/memory": [1.2, 1.1, 1.2, 1.15, 1.2, 1.3, 1.3],
};

/** @throws {Error} for a pair or a workload that has no bar */
export function barOf(host: Host, store: Store, workload: string): number {
  const bar = bars[`${host}/${store}`]?.[names.findIndex((name) => name === workload)];
  if (bar === undefined) throw new Error(`There is no bar for "${workload}" on ${host}/${store}.`);
  return bar;
}
