import { runLoad } from "../tools/load.js";
import { median, percentile, type Summary, summarize } from "../tools/statistics.js";
import type { Pair, Side } from "./pair.js";
import type { Workload } from "./workloads.js";

/** How much is measured. */
export interface Amount {
  readonly rounds: number;
  /** Requests of one side in one round. */
  readonly requests: number;
}

/** How much is measured, and how many requests are under way at a time. */
export interface LoadAmount extends Amount {
  readonly connections: number;
}

/** Both sides of a comparison, in µs. */
export interface Compared {
  readonly restwright: Summary;
  readonly floor: Summary;
  /** Median of the ratios of each round. */
  readonly ratio: number;
}

/** What a request costs on both sides. */
export interface Measured {
  /** CPU time of the server process. */
  readonly node: Compared;
  /** CPU time of the server process and of the processes of its database; absent unless those can be read. */
  readonly together?: Compared | undefined;
  /** From the first byte of the request to the last of its answer: the median of a round, and the 99th percentile. Absent if the machine did other work. */
  readonly p50?: Compared | undefined;
  readonly p99?: Compared | undefined;
}

/** One round of one side, a request in µs. */
interface Cost {
  readonly node: number;
  readonly together: number | undefined;
  readonly p50: number;
  readonly p99: number;
}

interface Round {
  readonly restwright: Cost;
  readonly floor: Cost;
}

/** Warms both servers up, then measures them in turn: whatever slows the machine down for a while slows both. */
export async function measure(pair: Pair, workload: Workload, amount: LoadAmount): Promise<Measured> {
  const restwright = await measured(pair.restwright, workload, amount);
  const floor = await measured(pair.floor, workload, amount);
  for (const warmUp of [restwright, floor, restwright, floor]) await warmUp();
  const rounds: Round[] = [];
  for (let round = 0; round < amount.rounds; round++) rounds.push({ restwright: await restwright(), floor: await floor() });
  return comparedRounds(rounds);
}

/** A function that sends a round of requests to a server. */
async function measured(
  { server, engine }: Side,
  { prepare, status }: Workload,
  { requests, connections }: LoadAmount,
): Promise<() => Promise<Cost>> {
  const { port } = server;
  const next = await prepare(port);
  return async () => {
    let latencies: readonly number[] = [];
    const load = async () => {
      latencies = await runLoad({ port, requests, status, connections, next });
    };
    const before = await server.cpuMicroseconds();
    const database = engine === undefined ? await load() : await engine.spentBy(load);
    const spent = (await server.cpuMicroseconds()) - before;
    return {
      node: spent / requests,
      together: database === undefined ? undefined : (spent + database) / requests,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
    };
  };
}

/** @throws {Error} without rounds */
export function comparedRounds(rounds: readonly Round[]): Measured {
  const compared = (of: "node" | "p50" | "p99") => comparedBy(rounds, (cost) => cost[of]);
  const hasEngine = rounds.every(({ restwright, floor }) => restwright.together !== undefined && floor.together !== undefined);
  const together = hasEngine ? { together: comparedBy(rounds, (cost) => cost.together ?? Number.NaN) } : {};
  return { node: compared("node"), ...together, p50: compared("p50"), p99: compared("p99") };
}

function comparedBy(rounds: readonly Round[], figureOf: (cost: Cost) => number): Compared {
  return {
    restwright: summarize(rounds.map(({ restwright }) => figureOf(restwright))),
    floor: summarize(rounds.map(({ floor }) => figureOf(floor))),
    ratio: median(rounds.map(({ restwright, floor }) => figureOf(restwright) / figureOf(floor))),
  };
}
