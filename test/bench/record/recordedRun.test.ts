import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type RequestsRun, readRun, writeRun } from "../../../bench/record/recordedRun.js";
import { temporaryFolder } from "../../tools/temporary.js";

const summary = (median: number) => ({ median, minimum: median, maximum: median });
const run: RequestsRun = {
  ...{ kind: "requests", date: "2026-11-30", node: "20.20.2", machine: "2 × Example, 24 GiB" },
  ...{ versions: { pg: "8.23.1" }, rounds: 3, requests: 2000, connections: 16, missing: [] },
  results: [
    {
      ...{ host: "fastify", store: "postgres", workload: "get" },
      node: { restwright: summary(100 / 3), floor: summary(50), ratio: 2 / 3 },
    },
  ],
};

test("a run that is written can be read, and its figures have at most three decimals", () => {
  const path = join(temporaryFolder(), "run.json");
  writeRun(path, run);
  const [result] = run.results;
  const node = { restwright: summary(33.333), floor: summary(50), ratio: 0.667 };
  expect(readRun(path)).toEqual({ ...run, results: [{ ...result, node }] });
  expect(readFileSync(path, "utf8").endsWith("}\n")).toBe(true);
});

test.each([
  ["an unknown member", { ...run, round: 3 }, "round"],
  ["a kind that does not exist", { ...run, kind: "people" }, "kind"],
  ["a figure that is no number", { ...run, rounds: Number.NaN }, "rounds"],
])("a run with %s is refused, and not written", (_, wrong, named) => {
  const path = join(temporaryFolder(), "run.json");
  expect(() => writeRun(path, wrong as RequestsRun)).toThrow(named);
  expect(() => readRun(path)).toThrow("ENOENT");
});
