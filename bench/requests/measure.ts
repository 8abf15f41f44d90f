import { runLoad } from "../tools/load.js";
import type { Server } from "../tools/server.js";
import { median, type Summary, summarize } from "../tools/statistics.js";
import type { Pair } from "./pair.js";
import type { Workload } from "./workloads.js";

/** How much is measured. */
export interface Amount {
  readonly rounds: number;
  /** Requests of one side in one round. */
  readonly requests: number;
}

/** CPU time of the server processes per request, in microseconds. */
export interface Measured {
  readonly restwright: Summary;
  readonly floor: Summary;
  /** Median of the ratios of each round. */
  readonly ratio: number;
}

/** Warms both servers up, then measures them in turn: whatever slows the machine down for a while slows both. */
export async function measure(pair: Pair, workload: Workload, { rounds, requests }: Amount): Promise<Measured> {
  const restwright = await side(pair.restwright, workload);
  const floor = await side(pair.floor, workload);
  for (const warmUp of [restwright, floor, restwright, floor]) await warmUp(requests);
  const costs: { restwright: number; floor: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    const first = await restwright(requests);
    costs.push({ restwright: first, floor: await floor(requests) });
  }
  return {
    restwright: summarize(costs.map((cost) => cost.restwright)),
    floor: summarize(costs.map((cost) => cost.floor)),
    ratio: median(costs.map((cost) => cost.restwright / cost.floor)),
  };
}

/** A function that sends requests to a server and gives the CPU time of one in microseconds. */
async function side(server: Server, { prepare, status }: Workload): Promise<(requests: number) => Promise<number>> {
  const { port } = server;
  const next = await prepare(port);
  return async (requests) => {
    const before = await server.cpuMicroseconds();
    await runLoad({ port, requests, status, next });
    return ((await server.cpuMicroseconds()) - before) / requests;
  };
}
