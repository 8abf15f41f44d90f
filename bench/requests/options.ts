import { parseArgs } from "node:util";
import { type Host, hosts, oneOf, type Store, stores } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import type { LoadAmount } from "./measure.js";
import { type Workload, workloads } from "./workloads.js";

/** What `run.ts` is told. */
export interface RunOptions extends LoadAmount {
  readonly pairs: readonly (readonly [Host, Store])[];
  readonly workloads: readonly Workload[];
  /** Path of the file that gets the results. */
  readonly json: string | undefined;
  /** Whether the machine does other work, so that latencies say nothing. */
  readonly busy: boolean;
}

/** Every host over memory, and Fastify over each database. */
const allPairs: readonly (readonly [Host, Store])[] = [
  ...hosts.map((host) => [host, "memory"] as const),
  ["fastify", "sqlite"],
  ["fastify", "postgres"],
];

/**
 * Reads the command line.
 *
 * @param args without the program and its script
 * @param hasPostgres whether there is a PostgreSQL server; without one, pairs on it are left out
 * @throws {Error} for an option that is not allowed, or if no pair is left
 */
export function readRunOptions(args: readonly string[], hasPostgres: boolean): RunOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "5" },
      requests: { type: "string", default: "3000" },
      connections: { type: "string", default: "16" },
      only: { type: "string", multiple: true, default: [] },
      workload: { type: "string", multiple: true, default: [] },
      json: { type: "string" },
      busy: { type: "boolean", default: false },
    },
  });
  const only = values.only.map((value) => oneOf("only", value, [...hosts, ...stores]));
  const names = workloads.map(({ name }) => name);
  const wanted = values.workload.map((value) => oneOf("workload", value, names));
  const pairs = allPairs.filter((pair) => (hasPostgres || pair[1] !== "postgres") && only.every((part) => pair.includes(part)));
  if (pairs.length === 0)
    throw new Error(`No pair is left of --only ${only.join(" --only ")}; PostgreSQL is measured where POSTGRES_URL names a server.`);
  return {
    rounds: wholeNumber("rounds", values.rounds),
    requests: wholeNumber("requests", values.requests),
    connections: wholeNumber("connections", values.connections),
    pairs,
    workloads: workloads.filter(({ name }) => wanted.length === 0 || wanted.includes(name)),
    json: values.json,
    busy: values.busy,
  };
}
