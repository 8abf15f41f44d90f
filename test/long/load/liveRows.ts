import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { FollowedList } from "../../capabilities/live/followedList.js";
import { streamsOf } from "../../capabilities/live/randomWrites.js";
import { deadlineIn, runScript } from "../../e2e/runScript.js";
import { integer, randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import type { LiveTold, LiveWork } from "./liveRowsProcess.js";

/**
 * Two processes on one database serve streams of rows, and write at random: `npx tsx test/long/load/liveRows.ts --writes 10000 --owners 20 --breakMs 30000`, and with `--store postgres`
 * (POSTGRES_URL) on PostgreSQL. Streams are cut at random, for moments or for as long as `--breakMs`, and go on at one of the two. Exits with 1 if a stream, replayed over its first list, is not the
 * list in the end, if a caller is told of a row outside of its scope or filter, or if a row goes back.
 */
const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    writes: { type: "string", default: "10000" },
    writers: { type: "string", default: "16" },
    owners: { type: "string", default: "20" },
    /** The longest pause within a transaction and between two writes, in milliseconds. */
    pauseMs: { type: "string", default: "250" },
    breakMs: { type: "string", default: "30000" },
    seed: { type: "string", default: "1" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");
const [writes, writers, pauseMs, breakMs, seed] = [values.writes, values.writers, values.pauseMs, values.breakMs, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
  number,
];
const owners = Array.from({ length: Number(values.owners) }, (_, index) => `owner${index}`);

const folder = mkdtempSync(join(tmpdir(), "restwright-live-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const children: ChildProcess[] = [];
let cuts = 0;
let longBreaks = 0;

/** Starts a process. @returns its address */
async function begin(database: string): Promise<string> {
  const child = fork(new URL("liveRowsProcess.ts", import.meta.url), [JSON.stringify({ database, store: values.store })]);
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once("message", (told: LiveTold) => ("url" in told ? resolve(told.url) : reject(new Error("The process began to write."))));
    child.once("exit", (code) => reject(new Error(`A process ended with ${code}.`)));
  });
}

function write(child: ChildProcess, work: LiveWork): Promise<void> {
  child.send(work);
  return new Promise((resolve, reject) => {
    child.once("message", (told: LiveTold) => ("failure" in told ? reject(new Error(told.failure)) : resolve()));
    child.once("exit", (code) => reject(new Error(`A process ended with ${code} while it wrote.`)));
  });
}

/** Cuts a stream and lets it go on, until nothing is written any more. */
async function cutAtRandom(list: FollowedList, urls: readonly string[], number: number, isWriting: () => boolean): Promise<void> {
  const random = randomOf(seed * 7_919 + number);
  while (isWriting()) {
    for (let round = integer(random, 400); round > 0 && isWriting(); round -= 1) {
      await sleep(20);
      await list.settle();
    }
    list.cut();
    cuts += 1;
    const isLong = integer(random, 4) === 0;
    if (isLong) longBreaks += 1;
    await sleep(isLong ? breakMs : integer(random, 200));
    await list.connect(urls[integer(random, urls.length)]);
  }
}

await runScript(
  async () => {
    const database = (await schema?.create()) ?? join(folder, "live.db");
    const urls = [await begin(database), await begin(database)];
    const lists = streamsOf(owners).map((stream, index) => new FollowedList(urls[index % urls.length] ?? "", stream));
    await Promise.all(lists.map((list) => list.connect()));
    const begunMs = performance.now();
    let isWriting = true;
    const each = Math.ceil(writes / writers);
    const half = Math.ceil(writers / children.length);
    const written = Promise.all(
      children.map((child, index) => write(child, { owners, count: each, writers: half, pauseMs, seed: seed + index })),
    ).finally(() => {
      isWriting = false;
    });
    await Promise.all([written, ...lists.map((list, index) => cutAtRandom(list, urls, index, () => isWriting))]);
    const deadline = deadlineIn(30);
    for (const [index, list] of lists.entries()) {
      for (;;) {
        const difference = await list.compare(`stream ${index}`).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (difference === undefined) break;
        if (!(difference instanceof assert.AssertionError)) throw difference;
        deadline.check(difference.message);
        await sleep(50);
      }
    }
    const seconds = Math.round((performance.now() - begunMs) / 1_000);
    const resets = lists.reduce((sum, list) => sum + list.resets, 0);
    const rows = lists[0]?.rows.size;
    console.log(
      `${values.store}: ${each * half * children.length} writes by ${half * children.length} writers in ${seconds} s, ${rows} rows in the end; ` +
        `${lists.length} streams of ${owners.length + 1} callers, cut ${cuts} times, ${longBreaks} of them for ${breakMs / 1_000} s, ${resets} resets: each equals its list`,
    );
    return true;
  },
  async () => {
    for (const child of children) child.removeAllListeners("exit").kill();
    await schema?.drop();
    rmSync(folder, { recursive: true, force: true });
  },
);
// Streams that are open keep the process alive.
process.exit();
