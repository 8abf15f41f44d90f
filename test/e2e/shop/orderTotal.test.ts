import { expect, test } from "vitest";
import { type Line, orderTotal } from "../../../examples/shop/orderTotal.js";

const cases: readonly [lines: readonly (readonly [quantity: number, price: number])[], total: number][] = [
  [[], 0],
  [[[1, 0]], 0],
  [[[1, 12.5]], 12.5],
  // As binary numbers these are a little less than what is written.
  [[[1, 1.005]], 1.01],
  [[[1, 2.675]], 2.68],
  [[[1, 1.0049999]], 1],
  [[[2, 1.005]], 2.01],
  [[[3, 0.1]], 0.3],
  [
    [
      [1, 0.1],
      [1, 0.2],
    ],
    0.3,
  ],
  // The sum is rounded, not the lines.
  [
    [
      [1, 0.004],
      [1, 0.004],
    ],
    0.01,
  ],
  [
    [
      [7, 19.99],
      [1, 0.005],
    ],
    139.94,
  ],
  [[[1, 0.005]], 0.01],
  [[[1, 0.00499999]], 0],
  [[[1, 1e-7]], 0],
  [[[50_000, 1e-7]], 0.01],
  [[[1_000_000, Number.MIN_VALUE]], 0],
  [[[1, 123_456_789.125]], 123_456_789.13],
  [[[1_000_000, 1_000_000_000]], 1e15],
  [Array.from({ length: 1_000 }, () => [1_000_000, 1_000_000_000] as const), 1e18],
  [Array.from({ length: 1_000 }, () => [1, 0.01] as const), 10],
];

test.each(cases.map(([lines, total]) => [JSON.stringify(lines).slice(0, 60), lines, total] as const))("%s", (_, lines, total) => {
  expect(orderTotal(lines.map(([quantity, price]): Line => ({ quantity, price })))).toBe(total);
});

test("whole cents are summed as whole numbers are", () => {
  let seed = 20_260_101;
  const next = (end: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % end;
  };
  for (let run = 0; run < 500; run++) {
    const lines = Array.from({ length: next(30) }, () => ({ quantity: 1 + next(1_000), cents: next(1_000_000) }));
    const cents = lines.reduce((sum, line) => sum + line.quantity * line.cents, 0);
    expect(orderTotal(lines.map((line) => ({ quantity: line.quantity, price: line.cents / 100 })))).toBe(cents / 100);
  }
});
