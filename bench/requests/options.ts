import { parseArgs } from "node:util";
import { type Host, hosts, oneOf, type Store, stores } from "../tools/serverOptions.js";
import { wholeNumber } from "../tools/wholeNumber.js";
import type { Amount } from "./measure.js";
import { type Workload, workloads } from "./workloads.js";

/** What `run.ts` is told. */
export interface RunOptions extends Amount {
  readonly pairs: readonly (readonly [Host, Store])[];
  readonly workloads: readonly Workload[];
  readonly json: string | undefined;
  readonly markdown: boolean;
}

/** Every host over memory, and Fastify over each database that there is. */
const allPairs: readonly (readonly [Host, Store])[] = [
  ...hosts.map((host) => [host, "memory"] as const),
  ["fastify", "sqlite"],
  ...(process.env["POSTGRES_URL"] === undefined ? [] : [["fastify", "postgres"] as const]),
];

/** @throws {Error} for an option that cannot be */
export function readRunOptions(): RunOptions {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string", default: "5" },
      requests: { type: "string", default: "3000" },
      only: { type: "string", multiple: true, default: [] },
      workload: { type: "string", multiple: true, default: [] },
      json: { type: "string" },
      markdown: { type: "boolean", default: false },
    },
  });
  const only = values.only.map((value) => oneOf("only", value, [...hosts, ...stores]));
  const names = workloads.map(({ name }) => name);
  const wanted = values.workload.map((value) => oneOf("workload", value, names));
  return {
    rounds: wholeNumber("rounds", values.rounds),
    requests: wholeNumber("requests", values.requests),
    pairs: allPairs.filter((pair) => only.every((part) => pair.includes(part))),
    workloads: workloads.filter(({ name }) => wanted.length === 0 || wanted.includes(name)),
    json: values.json,
    markdown: values.markdown,
  };
}
