import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { hosts, stores } from "../tools/serverOptions.js";

const summary = z.strictObject({ median: z.number(), minimum: z.number(), maximum: z.number() });

const compared = z.strictObject({ restwright: summary, floor: summary, ratio: z.number() });

const head = {
  date: z.iso.date(),
  node: z.string(),
  /** Number and model of its processors, and its memory. */
  machine: z.string(),
  /** Of the packages and servers that took part, by their names. */
  versions: z.record(z.string(), z.string()),
  rounds: z.int(),
  /** Of one server in one round. */
  requests: z.int(),
  connections: z.int(),
  /** Fields that this run has not, each with the reason. */
  missing: z.array(z.strictObject({ field: z.string(), reason: z.string() })),
};

const requestsRun = z.strictObject({
  kind: z.literal("requests"),
  ...head,
  /** As `Measured` of `bench/requests/measure.ts` has them. */
  results: z.array(
    z.strictObject({
      ...{ host: z.enum(hosts), store: z.enum(stores), workload: z.string() },
      ...{ node: compared, together: compared.optional(), p50: compared.optional(), p99: compared.optional() },
    }),
  ),
});

const peersRun = z.strictObject({
  kind: z.literal("peers"),
  ...head,
  /** CPU time of the process in µs a request; the ratio is restwright's cost in terms of this server's, absent for restwright itself. */
  results: z.array(z.strictObject({ store: z.enum(stores), workload: z.string(), server: z.string(), node: summary, ratio: z.number().optional() })),
  /** What a server could not do, or why it did not take part. */
  absent: z.array(z.strictObject({ server: z.string(), reason: z.string() })),
});

const recordedRun = z.discriminatedUnion("kind", [requestsRun, peersRun]);

/** A run of `bench/requests/run.ts` in a file of `docs/benchmarks`. */
export type RequestsRun = z.infer<typeof requestsRun>;

/** A run of `bench/peers/peers.ts` in a file of `docs/benchmarks`. */
export type PeersRun = z.infer<typeof peersRun>;

type RecordedRun = z.infer<typeof recordedRun>;

/** Writes a run as JSON; figures have at most three decimals. */
export function writeRun(path: string, run: RecordedRun): void {
  const text = JSON.stringify(recordedRun.parse(run), (_, value) => (typeof value === "number" ? Number(value.toFixed(3)) : value), 2);
  writeFileSync(path, `${text}\n`);
}

/** @throws {ZodError} for a file that is no run, naming each member that is wrong */
export function readRun(path: string | URL): RecordedRun {
  return recordedRun.parse(JSON.parse(readFileSync(path, "utf8")));
}
