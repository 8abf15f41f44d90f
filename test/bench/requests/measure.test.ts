import { expect, test } from "vitest";
import { comparedRounds } from "../../../bench/requests/measure.js";

const cost = (node: number, together: number | undefined, latency: number) => ({ node, together, p50: latency, p99: latency * 2 });

test("a ratio is the median of the ratios of each round, not the ratio of the medians", () => {
  const rounds = [
    { restwright: cost(10, 30, 100), floor: cost(20, 20, 50) },
    { restwright: cost(30, 60, 300), floor: cost(30, 30, 100) },
    { restwright: cost(80, 80, 200), floor: cost(40, 160, 400) },
  ];
  const { node, together, p50, p99 } = comparedRounds(rounds);
  expect(node).toEqual({ restwright: { median: 30, minimum: 10, maximum: 80 }, floor: { median: 30, minimum: 20, maximum: 40 }, ratio: 1 });
  expect(together).toEqual({ restwright: { median: 60, minimum: 30, maximum: 80 }, floor: { median: 30, minimum: 20, maximum: 160 }, ratio: 1.5 });
  expect(p50?.ratio).toBe(2);
  expect(p99?.restwright.median).toBe(400);
});

test("the cost with the database is absent unless it is known of both sides", () => {
  expect(comparedRounds([{ restwright: cost(10, 30, 1), floor: cost(20, undefined, 1) }])).not.toHaveProperty("together");
});
