import assert from "node:assert/strict";
import type { RateLimitAlgorithm } from "../../ground/storage/rateLimits.js";
import type { RateLimitStage } from "./stage.js";

/** One promise of the contract, and its test. */
export interface RateLimitScenario {
  readonly name: string;
  run(stage: RateLimitStage): Promise<void>;
}

const algorithms: readonly RateLimitAlgorithm[] = ["fixed-window", "gcra"];

/** Slow stores take some milliseconds for a call; a window must not end while a scenario fills it. */
const windowMs = 1_000;

/** All scenarios of the contract; their names begin with the algorithm. */
export const rateLimitScenarios: readonly RateLimitScenario[] = algorithms.flatMap((algorithm) =>
  scenariosOf(algorithm).map(({ name, run }) => ({ name: `${algorithm} › ${name}`, run })),
);

function scenariosOf(algorithm: RateLimitAlgorithm): readonly RateLimitScenario[] {
  return [...countingScenarios(algorithm), ...keyScenarios(algorithm), ...timeScenarios(algorithm), ...concurrencyScenarios(algorithm)];
}

/** What one call after the other is allowed. */
function countingScenarios(algorithm: RateLimitAlgorithm): readonly RateLimitScenario[] {
  return [
    {
      name: "allows the limit, says what remains, and refuses the next call",
      async run(stage) {
        const key = stage.key();
        for (const remaining of [4, 3, 2, 1, 0]) {
          const taken = await stage.take(key, { algorithm });
          assert.deepEqual([taken.allowed, taken.remaining, taken.retryMs], [true, remaining, 0]);
          assert.ok(taken.resetMs > 0 && taken.resetMs <= 60_000, `resetMs is ${taken.resetMs}`);
        }
        const refused = await stage.take(key, { algorithm });
        assert.deepEqual([refused.allowed, refused.remaining], [false, 0]);
        assert.ok(refused.retryMs > 0 && refused.retryMs <= 60_000, `retryMs is ${refused.retryMs}`);
      },
    },
    {
      name: "takes a cost as a whole or not at all",
      async run(stage) {
        const key = stage.key();
        const results: unknown[] = [];
        for (const cost of [3, 3, 2, 1]) {
          const { allowed, remaining } = await stage.take(key, { algorithm, cost });
          results.push([allowed, remaining]);
        }
        assert.deepEqual(results, [
          [true, 2],
          [false, 2],
          [true, 0],
          [false, 0],
        ]);
      },
    },
    {
      name: "takes a cost that equals the limit",
      async run(stage) {
        const key = stage.key();
        const whole = await stage.take(key, { algorithm, cost: 5 });
        assert.deepEqual([whole.allowed, whole.remaining], [true, 0]);
        assert.equal((await stage.take(key, { algorithm })).allowed, false);
      },
    },
  ];
}

/** What is counted together. */
function keyScenarios(algorithm: RateLimitAlgorithm): readonly RateLimitScenario[] {
  return [
    {
      name: "counts keys and policies separately",
      async run(stage) {
        const key = stage.key();
        await stage.take(key, { algorithm, cost: 5 });
        assert.equal((await stage.take(stage.key(), { algorithm })).remaining, 4);
        assert.equal((await stage.take(key, { algorithm, name: "other" })).remaining, 4);
        assert.equal((await stage.take(key, { algorithm })).allowed, false);
      },
    },
    {
      name: "accepts keys of any length and any characters, and tells them apart",
      async run(stage) {
        const key = stage.key();
        const long = key.repeat(300);
        for (const each of [`${key}\u0000`, `${key}\ud800`, `${key}'";--`, `${key}é`, long, `${long}x`, `${key} `]) {
          assert.equal((await stage.take(each, { algorithm, cost: 5 })).allowed, true, JSON.stringify(each.slice(-8)));
          assert.equal((await stage.take(each, { algorithm })).allowed, false);
        }
      },
    },
    {
      name: "counts a high limit exactly",
      async run(stage) {
        const key = stage.key();
        const limit = 1_000_000;
        const change = { algorithm, limit, windowMs: 31 * 24 * 3_600_000 };
        assert.equal((await stage.take(key, { ...change, cost: limit - 3 })).remaining, 3);
        for (const remaining of [2, 1, 0]) assert.equal((await stage.take(key, change)).remaining, remaining);
        assert.equal((await stage.take(key, change)).allowed, false);
      },
    },
  ];
}

/** What the time gives back. */
function timeScenarios(algorithm: RateLimitAlgorithm): readonly RateLimitScenario[] {
  return [
    {
      name: "allows the cost again after the time that it named, and everything after the reset",
      async run(stage) {
        const key = stage.key();
        await stage.take(key, { algorithm, windowMs, cost: 5 });
        const refused = await stage.take(key, { algorithm, windowMs, cost: 2 });
        assert.equal(refused.allowed, false);
        await stage.advance(Math.ceil(refused.retryMs) + 5);
        const again = await stage.take(key, { algorithm, windowMs, cost: 2 });
        assert.equal(again.allowed, true);
        await stage.advance(Math.ceil(again.resetMs) + 5);
        const whole = await stage.take(key, { algorithm, windowMs, cost: 5 });
        assert.deepEqual([whole.allowed, whole.remaining], [true, 0]);
      },
    },
    {
      name: algorithm === "gcra" ? "gives back a share of the limit with the time" : "gives back nothing before the window ends",
      async run(stage) {
        const key = stage.key();
        await stage.take(key, { algorithm, windowMs, cost: 5 });
        await stage.advance(windowMs / 5 + 30);
        assert.equal((await stage.take(key, { algorithm, windowMs })).allowed, algorithm === "gcra");
      },
    },
  ];
}

/** What calls at once are allowed. */
function concurrencyScenarios(algorithm: RateLimitAlgorithm): readonly RateLimitScenario[] {
  return [
    {
      name: "of 200 concurrent calls exactly as many are allowed as the limit has",
      async run(stage) {
        const key = stage.key();
        const all = await Promise.all(Array.from({ length: 200 }, () => stage.take(key, { algorithm, limit: 50, windowMs: 3_600_000 })));
        const allowed = all.filter((taken) => taken.allowed);
        assert.equal(allowed.length, 50);
        assert.deepEqual(
          allowed.map(({ remaining }) => remaining).sort((a, b) => a - b),
          Array.from({ length: 50 }, (_, index) => index),
        );
      },
    },
    {
      name: "of concurrent calls with costs never takes more than the limit",
      async run(stage) {
        const key = stage.key();
        const costs = Array.from({ length: 100 }, (_, index) => 1 + (index % 7));
        const all = await Promise.all(costs.map((cost) => stage.take(key, { algorithm, cost, limit: 60, windowMs: 3_600_000 })));
        const sum = costs.reduce((total, cost, index) => total + (all[index]?.allowed ? cost : 0), 0);
        assert.ok(sum <= 60 && sum > 53, `${sum} were taken`);
      },
    },
  ];
}
