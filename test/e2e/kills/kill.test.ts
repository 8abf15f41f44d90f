// @long

import { expect, test } from "vitest";
import { killsOf } from "../../tools/extent.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { killWhileWriting } from "./killWhileWriting.js";

const rounds = killsOf(20);

test(`every acknowledged row is there after ${rounds} times SIGKILL during writes`, { timeout: 180_000 }, async () => {
  const report = await killWhileWriting({
    rounds,
    writers: 8,
    host: "fastify",
    environment: { DATA_DIR: temporaryFolder() },
    aliveMs: (round) => 60 + ((round * 37) % 150),
  });
  expect(report.losses).toEqual([]);
  expect(report.acknowledgedRows).toBeGreaterThan(rounds);
});
