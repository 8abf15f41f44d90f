import { expect, test } from "vitest";
import { formatResult } from "../../../bench/tools/report.js";

const summary = (median: number) => ({ median, minimum: median - 5, maximum: median + 5 });
const compared = (restwright: number, floor: number) => ({ restwright: summary(restwright), floor: summary(floor), ratio: restwright / floor });
const pair = { host: "fastify", store: "postgres", workload: "get" } as const;

test("a result has a line for each figure that was measured, with its bar", () => {
  const result = { ...pair, node: compared(66, 100), together: compared(99, 110), p50: compared(900, 1000), p99: compared(2000, 1000) };
  expect(formatResult(result, { node: 0.75, together: 0.65 }).split("\n")).toEqual([
    "fastify/postgres  get             66 (61–71)      100 (95–105)   0.66 × (bar 0.75) ok",
    "                  with db        99 (94–104)     110 (105–115)   0.90 × (bar 0.65) MISSED",
    "                  p50          900 (895–905)   1000 (995–1005)   0.90 ×",
    "                  p99       2000 (1995–2005)   1000 (995–1005)   2.00 ×",
  ]);
});

test("a result without a database, latencies and a bar is one line", () => {
  expect(formatResult({ ...pair, node: compared(66, 100) }, {})).toBe("fastify/postgres  get             66 (61–71)      100 (95–105)   0.66 ×");
});
