import type { PeersRun, RequestsRun } from "../../../bench/record/recordedRun.js";
import { costTable, peerTables, requestTables } from "./runTables.js";

type Run = RequestsRun | PeersRun;

/** Gives the run in a file of `docs/benchmarks`. */
export type RunReader = (file: string) => Run;

/**
 * A page in which the text of each block is what its runs say; what stands around the blocks stays.
 *
 * A block begins with `<!-- benchmark: <view> <file> … -->` and ends with `<!-- end of benchmark -->`. The views are `requests`, `peers`, each of one file, and `costs`, of a file of peers and
 * one of requests.
 *
 * @throws {Error} for a view that does not exist, a file of another kind, or a block without an end
 */
export function withBenchmarks(page: string, readRun: RunReader): string {
  let blocks = 0;
  const text = page.replaceAll(block, (_, begin: string, view: string, files: string, end: string) => {
    blocks += 1;
    return `${begin}\n\n${viewOf(view, files.split(" "), readRun)}\n\n${end}`;
  });
  const marks = [beginMark, endMark].map((mark) => text.split(mark).length - 1);
  if (marks.some((count) => count !== blocks)) {
    throw new Error(`A block of benchmarks has no beginning or no end: "${beginMark} … -->" and "${endMark}" are expected in turn.`);
  }
  return text;
}

const beginMark = "<!-- benchmark:";
const endMark = "<!-- end of benchmark -->";
const block = /^(<!-- benchmark: (\S+) (\S+(?: \S+)*) -->)\n(?:(?!<!-- benchmark:)[\s\S])*?^(<!-- end of benchmark -->)$/gm;

function viewOf(view: string, files: readonly string[], readRun: RunReader): string {
  const [first = "", second = ""] = files;
  switch (view) {
    case "requests":
      return requestTables(runOf("requests", first, readRun), first);
    case "peers":
      return peerTables(runOf("peers", first, readRun), first);
    case "costs":
      return costTable(runOf("peers", first, readRun), runOf("requests", second, readRun));
    default:
      throw new Error(`A block of benchmarks shows "${view}"; allowed: requests, peers, costs.`);
  }
}

function runOf<Kind extends Run["kind"]>(kind: Kind, file: string, readRun: RunReader): Extract<Run, { readonly kind: Kind }> {
  const run = readRun(file);
  if (!isOf(run, kind)) throw new Error(`${file} is a run of ${run.kind}; expected ${kind}.`);
  return run;
}

function isOf<Kind extends Run["kind"]>(run: Run, kind: Kind): run is Extract<Run, { readonly kind: Kind }> {
  return run.kind === kind;
}
