// @long

import type { BlobStore, Storage } from "restwright";
import { memoryBlobs } from "restwright/memory";
import { faultyBlobs, faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { sweepFiles } from "../../../../../src/capabilities/transfer/sweep.js";
import { keysOf } from "../../../../adapters/stores/blobs/blobContents.js";
import type { Received } from "../../../../tools/client.js";
import { endedAlive } from "../../../../tools/endedAlive.js";
import { nextCall, sampleNote } from "../../../../tools/extent.js";
import { storagePlaces } from "../../../../tools/storage/batchStorages.js";
import { boundStorage, jobsOf } from "../../../../tools/storage/boundStorage.js";
import { untilAnswered } from "../../../../tools/untilAnswered.js";
import { jobOf } from "../../../batch/batchJobStage.js";
import { shortLeases } from "../../../batch/batchLeases.js";
import { type ImportSide, importService, importSide, ndjsonChunks, type SentFile } from "../importStage.js";

interface CrashCase {
  readonly name: string;
  /** Whether the call that a process dies at is tried without its effect, with it, or both. */
  readonly deaths: readonly ("before" | "after")[];
  readonly query: string;
  readonly file: SentFile;
  readonly isJob: boolean;
  readonly status: "completed" | "failed";
  /** Created, updated, skipped, failed. */
  readonly counts: readonly number[];
  readonly errors: readonly number[];
  /** Names of all people afterwards. */
  readonly after: readonly string[];
}

const headers = { "idempotency-key": "0123456789abcdef" };

/** People with these names, in chunks. */
const rows = (...chunks: readonly (readonly string[])[]): SentFile => ({
  ...ndjsonChunks(...chunks.map((names) => names.map((name) => ({ email: `${name.toLowerCase() || "none"}@x.test`, name })))),
  headers,
});

const mixed = rows(["Ada", "", "Bob", "Old"], ["ADA", "Eve"]);
const good = rows(["Ada"], ["Bob", "Eve"]);

const cases: readonly CrashCase[] = [
  {
    name: "a job",
    deaths: ["before", "after"],
    query: "",
    file: mixed,
    isJob: true,
    status: "completed",
    counts: [3, 0, 0, 3],
    errors: [2, 4, 5],
    after: ["Ada", "Bob", "Eve", "Old"],
  },
  {
    name: "a job that merges",
    deaths: ["after"],
    query: "mode=upsert&key=email",
    file: mixed,
    isJob: true,
    status: "completed",
    counts: [3, 2, 0, 1],
    errors: [2],
    after: ["ADA", "Bob", "Eve", "Old"],
  },
  {
    name: "a job of all or none",
    deaths: ["before"],
    query: "onError=stop",
    file: good,
    isJob: true,
    status: "completed",
    counts: [3, 0, 0, 0],
    errors: [],
    after: ["Ada", "Bob", "Eve", "Old"],
  },
  {
    name: "a job of all or none that can be none",
    deaths: ["after"],
    query: "onError=stop",
    file: rows(["Ada"], ["Bob", "Old"]),
    isJob: true,
    status: "failed",
    counts: [0, 0, 0, 1],
    errors: [3],
    after: ["Old"],
  },
  {
    name: "a job with too many errors",
    deaths: ["before"],
    query: "maxErrors=0",
    file: mixed,
    isJob: true,
    status: "failed",
    counts: [2, 0, 0, 2],
    errors: [2, 4],
    after: ["Ada", "Bob", "Old"],
  },
  {
    name: "an import at once",
    deaths: ["before", "after"],
    query: "",
    file: mixed,
    isJob: false,
    status: "completed",
    counts: [3, 0, 0, 3],
    errors: [2, 4, 5],
    after: ["Ada", "Bob", "Eve", "Old"],
  },
];

const places = storagePlaces.filter(([name]) => name === "memory" || name === "SQLite in memory");

const serviceOn = (storage: Storage, blobs: BlobStore, jobs: { work?: boolean; leaseMs?: number }) =>
  importService(storage, { blobs, idempotency: { leaseMs: 10 }, jobs: { pollMs: 2, ...jobs } });

describe.each(places)("a process that dies while it imports on %s", (storeName, place) => {
  const all = cases.flatMap((each) => each.deaths.map((how) => ({ ...each, how })));
  const deaths = storeName === "memory" ? all : all.slice(1, 2);

  test.each(deaths)(
    `is followed by one that does the rest: $name, $how whichever call${sampleNote}`,
    { timeout: 60_000 },
    async ({ how, ...each }) => {
      const spaces = await Promise.all(Array.from({ length: together }, async () => (await place()).open()));
      const calls = await dieAt(Number.POSITIVE_INFINITY, how, each, spaces[0] as Storage);
      expect(calls).toBeGreaterThan(each.isJob ? 20 : 8);
      // Mostly they wait for leases to end.
      let next = nextCall(0);
      const inTurn = async (storage: Storage) => {
        while (next <= calls) {
          const call = next;
          next = nextCall(call);
          await dieAt(call, how, each, storage);
        }
      };
      await Promise.all(spaces.map(inTurn));
    },
  );
});

const together = 6;

/** Imports as a tenant of its own, dies at the k-th call, and lets another process go on. @returns the calls of the one that died */
async function dieAt(k: number, how: "before" | "after", each: CrashCase, place: Storage): Promise<number> {
  const storage = shortLeases(boundStorage(place, { close: async () => {} }));
  const send = (side: ImportSide) => (each.isJob ? side.submit(each.query, each.file) : side.now(each.query, each.file));
  const blobs = memoryBlobs();
  const watcher = importSide(serviceOn(storage, blobs, { work: false }), storage);
  await watcher.seed("people", { email: "old@x.test", name: "Old" });

  const dying = faultyStorage(storage, { ...(k < Number.POSITIVE_INFINITY && { dieAfter: k }), how });
  // Long enough that a busy machine renews it: a job whose lease ends five times in a row is given up.
  const doomed = serviceOn(dying, faultyBlobs(blobs, dying), { leaseMs: 60 });
  const died = await send(importSide(doomed, dying, watcher.tenant));
  const isDone = await hasEnded(watcher, died, () => dying.dead);
  await doomed.close({ graceMs: 0 }).catch(() => {});

  const next = serviceOn(storage, blobs, {});
  const side = importSide(next, storage, watcher.tenant);
  const answer = await untilAnswered(() => send(side));
  const at = `${how} call ${k}: ${answer.text}`;
  if (died.status === answer.status && each.isJob) expect(jobOf(answer), at).toBe(jobOf(died));
  expect(await outcomeOf(side, answer), at).toEqual({ status: each.status, counts: each.counts, errors: each.errors });
  expect((await side.rows()).map(({ name }) => name).sort(), at).toEqual(each.after);
  // The file of a job that has failed stays for a day, and so does what a dead process has left of another.
  if (isDone && each.status === "completed") expect(await keysOf(blobs), at).toEqual([]);
  await sweepFiles({ blobs, jobs: jobsOf(storage), nowMs: Date.now() + 25 * 3_600_000 });
  expect(await keysOf(blobs), at).toEqual([]);
  await next.close();
  return dying.calls;
}

async function outcomeOf(side: ImportSide, answer: Received) {
  if (answer.status !== 202) {
    const { result, errors } = answer.json;
    return { status: "completed", counts: Object.values(result), errors: errors.map(({ row }: { row: number }) => row) };
  }
  const { status, document } = await side.ended(answer);
  const report = await side.send({ target: `${jobOf(answer)}/errors`, headers: { accept: "application/json" } });
  return { status, counts: Object.values(document["result"] as object), errors: report.json.errors.map(({ row }: { row: number }) => row) };
}

/** Whether all was done before the process died. */
async function hasEnded(watcher: ImportSide, answer: Received, isDead: () => boolean): Promise<boolean> {
  return answer.status === 202 ? endedAlive(watcher.send, jobOf(answer), isDead) : !isDead();
}
