import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type PeersRun, type RequestsRun, readRun } from "../../bench/record/recordedRun.js";
import { withBenchmarks } from "../../docs/site/benchmarks/benchmarksPage.js";
import { costTable, peerTables, requestTables } from "../../docs/site/benchmarks/runTables.js";
import { repository } from "../../docs/site/declarations/program.js";

const folder = `${repository}docs/benchmarks/`;

test.each(["docs/benchmarks.md", "README.md"])("%s shows what its runs say; npm run docs:benchmarks writes it", async (path) => {
  const page = readFileSync(`${repository}${path}`, "utf8");
  const shown = withBenchmarks(page, (file) => readRun(`${folder}${file}`));
  await expect(shown).toMatchFileSnapshot(`${repository}${path}`);
  expect(page).toContain("<!-- benchmark: ");
});

test.each(readdirSync(folder))("docs/benchmarks/%s is a run, named after its day and its kind", (file) => {
  const { date, kind } = readRun(`${folder}${file}`);
  expect(file).toMatch(new RegExp(`^${date}-${kind}(?:-[a-z0-9-]+)?\\.json$`));
});

const summary = (median: number) => ({ median, minimum: median - 1, maximum: median + 1 });
const compared = (restwright: number, floor: number) => ({ restwright: summary(restwright), floor: summary(floor), ratio: restwright / floor });
const head = {
  ...{ date: "2026-11-30", node: "20.20.2", machine: "2 × Example, 24 GiB", rounds: 3, requests: 2000, connections: 16 },
  ...{ versions: { pg: "8.23.1", PostgreSQL: "15.20" }, missing: [{ field: "p50, p99", reason: "The machine did other work." }] },
};
const requests: RequestsRun = {
  ...{ kind: "requests", ...head },
  results: [
    { host: "koa", store: "memory", workload: "get", node: compared(60, 40) },
    { host: "fastify", store: "postgres", workload: "get", node: compared(90, 100), together: compared(120, 200) },
  ],
};
const peers: PeersRun = {
  ...{ kind: "peers", ...head },
  results: [
    { store: "sqlite", workload: "get", server: "restwright", node: summary(1200) },
    { store: "sqlite", workload: "get", server: "by hand", node: summary(600), ratio: 2 },
    { store: "sqlite", workload: "get", server: "other", node: summary(1000), ratio: 1.2 },
    { store: "sqlite", workload: "list20", server: "restwright", node: summary(50) },
  ],
  absent: [{ server: "other", reason: "it has no lists." }],
};

describe("tables of a run", () => {
  test("of requests are one for each pair, with bars, and with the database where it was measured", () => {
    expect(requestTables(requests, "run.json").split("\n")).toEqual([
      "2026-11-30, Node 20.20.2, 2 × Example, 24 GiB; 3 rounds of 2,000 requests by 16 connections; pg 8.23.1, PostgreSQL 15.20 ([data](benchmarks/run.json)). Without `p50, p99`: The machine did other work.",
      "",
      "### koa, memory",
      "",
      "| workload | restwright, µs | by hand, µs | ratio | bar |",
      "|---|---|---|---|---|",
      "| get | 60 (59–61) | 40 (39–41) | 1.50 |  |",
      "",
      "### fastify, postgres",
      "",
      "| workload | restwright, µs | by hand, µs | ratio | bar | restwright, µs, with the database | by hand, µs, with the database | ratio, with the database | bar |",
      "|---|---|---|---|---|---|---|---|---|",
      "| get | 90 (89–91) | 100 (99–101) | **0.90** | 0.75 | 120 (119–121) | 200 (199–201) | 0.60 | 0.65 |",
    ]);
  });

  test("of peers are one for each store, and say what is absent", () => {
    expect(peerTables(peers, "run.json").split("\n").slice(2)).toEqual([
      "### Peers, sqlite",
      "",
      "| µs | restwright | by hand | other |",
      "|---|---|---|---|",
      "| get | 1200 (1199–1201) | 600 (599–601): 2.00 | 1000 (999–1001): **1.20** |",
      "| list20 | 50 (49–51) | – | – |",
      "",
      "- other: it has no lists.",
    ]);
  });

  test("of costs have the peers on SQLite, and the hand-written server on PostgreSQL", () => {
    expect(costTable(peers, requests).split("\n")).toEqual([
      "| µs of CPU time a request | restwright | by hand | other |",
      "|---|---|---|---|",
      "| SQLite, GET | 1,200 | 600 | 1,000 |",
      "| SQLite, list of 20 | 50 | – | – |",
      "| PostgreSQL, GET | 90 | 100 | not measured |",
      "| PostgreSQL, GET, with the database | 120 | 200 | not measured |",
      "",
      "SQLite: 2026-11-30, 3 rounds, Node 20.20.2, 2 × Example, 24 GiB. PostgreSQL: 2026-11-30, 3 rounds, Node 20.20.2, 2 × Example, 24 GiB.",
    ]);
  });
});

describe("a page", () => {
  const page = "Before.\n\n<!-- benchmark: peers a.json -->\nold\n<!-- end of benchmark -->\n\nAfter.\n";
  const shown = (text: string) => withBenchmarks(text, (file) => (file === "b.json" ? requests : peers));

  test("keeps what stands around a block", () => {
    const text = shown(page);
    expect(text).toContain("Before.\n\n<!-- benchmark: peers a.json -->\n\n2026-11-30, ");
    expect(text).toContain("- other: it has no lists.\n\n<!-- end of benchmark -->\n\nAfter.\n");
    expect(text).not.toContain("old");
    expect(shown(text)).toBe(text);
  });

  test.each([
    [page.replace("peers", "people"), 'A block of benchmarks shows "people"; allowed: requests, peers, costs.'],
    [page.replace("a.json", "b.json"), "b.json is a run of requests; expected peers."],
    [page.replace("<!-- end of benchmark -->", ""), "A block of benchmarks has no beginning or no end"],
    [page.replace("<!-- benchmark: peers a.json -->", ""), "A block of benchmarks has no beginning or no end"],
    [page.replace("old", page), "A block of benchmarks has no beginning or no end"],
  ])("is refused: %j", (text, message) => {
    expect(() => shown(text)).toThrow(message);
  });
});
