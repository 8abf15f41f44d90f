// @long

import { setTimeout as sleep } from "node:timers/promises";
import type { Authorize, BlobStore, JobStore, Service, Storage } from "restwright";
import { memoryBlobs } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { integer, randomOf } from "../../../../fuzz/random.js";
import { storagePlaces } from "../../../../tools/storage/batchStorages.js";
import { boundStorage, jobsOf } from "../../../../tools/storage/boundStorage.js";
import { dyingStorage } from "../../../../tools/storage/dyingStorage.js";
import { jobOf } from "../../../batch/batchJobStage.js";
import { type ImportSide, importService, importSide, ndjson } from "../importStage.js";

const people = (names: readonly string[]) => ndjson(...names.map((name, index) => ({ email: `p${index}@x.test`, name })));
const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `P${index}`);

interface Import {
  readonly storage: Storage;
  readonly blobs: BlobStore;
  readonly watcher: ImportSide;
  readonly target: string;
}

/** Names that are inserted together. */
type Inserted = readonly unknown[];

async function submitted(place: Storage, names: readonly string[]): Promise<Import> {
  const blobs = memoryBlobs();
  const storage = boundStorage(place, { close: async () => {} });
  const watcher = importSide(importService(storage, { blobs, jobs: { work: false } }), storage);
  return { storage, blobs, watcher, target: jobOf(await watcher.submit("", people(names))) };
}

const hasEnded = async ({ watcher, target }: Import): Promise<boolean> => (await watcher.send({ target })).json.status === "completed";

const worker = ({ blobs }: Import, storage: Storage, authorize?: Authorize): Service =>
  importService(storage, { blobs, jobs: { pollMs: 1 }, ...(authorize && { authorize }) });

/** A process that imports until it dies or the import has ended. */
async function live(job: Import, diesOf: (inserted: Inserted) => boolean): Promise<void> {
  const dying = dyingStorage(job.storage, diesOf);
  const service = worker(job, dying);
  await service.start();
  while (!dying.isDead() && !(await hasEnded(job))) await sleep(1);
  await service.close({ graceMs: 0 });
  if (dying.isDead()) await dying.recover();
}

/** Workers die of the chunk, so that its rows are imported one by one. */
async function becomeCareful(job: Import): Promise<void> {
  for (let deaths = 0; deaths < 3; deaths++) await live(job, (inserted) => inserted.length > 1);
}

/** How many processes an import takes of which each may die. */
async function processesUntilEnd(job: Import, diesOf: (process: number) => (inserted: Inserted) => boolean): Promise<number> {
  let processes = 0;
  while (!(await hasEnded(job))) {
    expect(processes).toBeLessThan(300);
    await live(job, diesOf(processes));
    processes += 1;
  }
  return processes;
}

async function outcomeOf({ watcher, target }: Import) {
  const report = await watcher.send({ target: `${target}/errors`, headers: { accept: "application/json" } });
  const rows = await watcher.rows();
  return {
    errors: report.json.errors.map(({ row, code }: { row: number; code: string }) => [row, code]),
    counts: Object.values((await watcher.ended(target)).document["result"] as object),
    names: rows.map(({ name }) => name),
  };
}

/** Processes die of these rows when they import them by themselves, so many times each. */
function dyingOf(deaths: Map<unknown, number>): (inserted: Inserted) => boolean {
  return (inserted) => {
    const [name] = inserted;
    const left = inserted.length === 1 ? (deaths.get(name) ?? 0) : 0;
    if (left > 0) deaths.set(name, left - 1);
    return left > 0;
  };
}

/** A process that is stopped in order after it has begun the row after this one, which takes longer than it has to stop. */
async function stopAfter(job: Import, row: number): Promise<void> {
  let hasBegun = false;
  const jobs = jobsOf(job.storage);
  const advance: JobStore["advance"] = (lease, given) => {
    const { begun, row: before } = given.cursor as { readonly begun?: unknown; readonly row: number };
    hasBegun = begun !== undefined && before === row;
    return jobs.advance(lease, given);
  };
  let service: Service | undefined;
  const stopped = new Promise<void>((resolve, reject) => {
    const authorize: Authorize = () => {
      if (!hasBegun) return true;
      service?.close({ graceMs: 0 }).then(resolve, reject);
      return new Promise<never>(() => {});
    };
    service = worker(job, boundStorage(job.storage, { jobs: { ...jobs, advance } }), authorize);
  });
  await service?.start();
  await stopped;
}

const names = namesOf(30);
/** A row is put off after two deaths, and left out after three more. */
const maxDeaths = 5;

describe.each(storagePlaces)("an import on %s", (_, place) => {
  test.each([1, 2, 3])("loses no row if its processes are killed at random rows, several times at some: seed %i", async (seed) => {
    const job = await submitted((await place()).open(), names);
    await becomeCareful(job);
    const random = randomOf(seed);
    const deaths = new Map<unknown, number>(names.map((name) => [name, integer(random, 4) === 0 ? 1 + integer(random, maxDeaths - 1) : 0]));
    const kills = [...deaths.values()].reduce((sum, each) => sum + each, 0);
    expect(kills).toBeGreaterThan(10);
    const diesOf = dyingOf(deaths);
    const processes = await processesUntilEnd(job, () => diesOf);
    const { errors, counts, names: stored } = await outcomeOf(job);
    expect([errors, counts, stored.toSorted()]).toEqual([[], [names.length, 0, 0, 0], names.toSorted()]);
    expect(processes).toBe(kills + 1);
  });

  test("counts no orderly stop as a death", async () => {
    const job = await submitted((await place()).open(), names);
    await becomeCareful(job);
    for (let stops = 0; stops < maxDeaths + 1; stops++) await stopAfter(job, 0);
    await live(job, ([name]) => name === "P3");
    for (let stops = 0; stops < maxDeaths + 1; stops++) await stopAfter(job, 3);
    await live(job, () => false);
    const { errors, names: stored } = await outcomeOf(job);
    // Not even put off.
    expect([errors, stored]).toEqual([[], names]);
  });

  test.each([
    ["the first row", ["P0"]],
    ["a row in the middle", ["P13"]],
    ["the last row", ["P29"]],
    ["rows beside each other, and the last", ["P4", "P5", "P6", "P29"]],
  ])("leaves out %s if it kills each of its processes, and no other", async (__, killers) => {
    const job = await submitted((await place()).open(), names);
    const processes = await processesUntilEnd(job, () => (inserted) => killers.some((killer) => inserted.includes(killer)));
    const { errors, counts, names: stored } = await outcomeOf(job);
    expect(errors).toEqual(killers.map((killer) => [names.indexOf(killer) + 1, "WORKER_CRASHED"]));
    const good = names.filter((name) => !killers.includes(name));
    expect([counts, stored.toSorted()]).toEqual([[good.length, 0, 0, killers.length], good.toSorted()]);
    // Three die of the chunk.
    expect(processes).toBe(3 + killers.length * maxDeaths + 1);
  });
});
