import { requireFreeDisk } from "../../test/e2e/requireFreeDisk.js";
import { buildPrograms } from "../tools/build.js";
import { installPeer } from "../tools/installPeer.js";
import { describeRun } from "../tools/report.js";
import { type Contest, type ContestResult, runContest } from "./contest.js";
import { formStarts, largeFormContest, smallFormContest, tusContests, tusStarts } from "./contests.js";
import { formNames, formPackages } from "./formNames.js";
import { requireForms } from "./formWorks.js";
import { measureHeads } from "./measureHeads.js";
import { readUploadOptions, type UploadBenchOptions } from "./options.js";
import { formatHeadTimes, formatResult, formatResults } from "./report.js";
import { placeNames, tusNames } from "./tusNames.js";
import { requireTus } from "./tusWorks.js";
import { startUploadEntrant, startUploadEntrants, stopAll, type UploadEntrant, type UploadEntrantStart } from "./uploadEntrant.js";

/**
 * Files that come in: as forms, against the parsers that people use; in pieces, against `@tus/server`; the memory of that, and how soon an upload that has stalled
 * is answered for. `npx tsx bench/uploads/uploads.ts`, on Linux.
 */
const options = readUploadOptions();
const { questions, rounds, folder } = options;
// One file is there at a time.
await requireFreeDisk(folder, Math.max(options.formBytes, options.tusBytes));
const programs = await buildPrograms("uploads", { form: "bench/uploads/formServer.ts", tus: "bench/uploads/tusServer.ts" });
const results: ContestResult[] = [];
const headTimes: string[] = [];

if (questions.includes("form") || questions.includes("files")) await measureForms();
if (questions.includes("tus")) await measureTus();
if (questions.includes("head")) for (const place of Object.values(placeNames)) await measureStalled(place);

const { date, node, machine } = describeRun(new Date());
if (options.markdown) {
  console.log(`\n${date}, Node ${node}, ${machine}.\n\n${formatResults(results)}\n\n${headTimes.map((line) => `- ${line}`).join("\n")}`);
}

async function measureForms(): Promise<void> {
  const peers = options.peers ? await installPeer("multer, formidable, @fastify/multipart", formPackages) : undefined;
  const starts = formStarts(programs.form, peers?.folder);
  try {
    if (questions.includes("form")) await run(starts, requireForms, formNames.restwright, largeFormContest);
    if (questions.includes("files")) await run(starts, requireForms, formNames.restwright, smallFormContest);
  } finally {
    await peers?.remove();
  }
}

async function measureTus(): Promise<void> {
  for (const contest of tusContests) await run(tusStarts(programs.tus), requireTus, tusNames.restwright, contest);
}

/** On servers of its own: one that has taken large files before has more memory than an idle one. @param own whose memory has a bar */
async function run(
  starts: readonly UploadEntrantStart[],
  check: (entrants: readonly UploadEntrant[]) => Promise<void>,
  own: string,
  contestOf: (entrants: readonly UploadEntrant[], amount: UploadBenchOptions) => Contest,
): Promise<void> {
  const entrants = await startUploadEntrants(folder, starts);
  try {
    await check(entrants);
    const result = await runContest(contestOf(entrants, options), rounds);
    results.push(result);
    console.log(`${formatResult(result, own)}\n`);
  } finally {
    await stopAll(entrants);
  }
}

async function measureStalled(place: string): Promise<void> {
  const entrant = await startUploadEntrant(folder, { name: tusNames.restwright, program: programs.tus, options: ["--place", place] });
  try {
    const line = formatHeadTimes(place, await measureHeads(entrant.server.port, options.tries));
    headTimes.push(line);
    console.log(line);
  } finally {
    await entrant.stop();
  }
}
