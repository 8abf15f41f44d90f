import type { BlobStore, JobEnd, JobStore } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { fileKey, fileKeys, jobIdOf } from "../../../src/capabilities/transfer/jobFiles.js";
import { sweepFiles } from "../../../src/capabilities/transfer/sweep.js";
import { keysOf } from "../../adapters/stores/blobs/blobContents.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

class Stage {
  readonly clock = new FakeClock();
  readonly blobs = memoryBlobs({ clock: this.clock });
  readonly jobs: JobStore;

  constructor() {
    const { jobs } = memoryStorage({ clock: this.clock });
    if (jobs === undefined) throw new Error("Memory keeps jobs.");
    this.jobs = jobs;
  }

  async write(key: string, { complete = true } = {}): Promise<void> {
    const writer = await this.blobs.open(key);
    await writer.write(Buffer.from(key));
    if (complete) await writer.commit();
  }

  /** A job that is under way, or has ended so. */
  async job(id: string, end?: JobEnd): Promise<void> {
    await this.jobs.create({ id, type: "any", tenant: undefined, owner: "ada", input: {} });
    const [job] = await this.jobs.claim({ types: ["any"], leaseMs: 30 * dayMs, max: 1, maxPerTenant: 99 });
    if (job?.id !== id) throw new Error("Another job was claimed.");
    if (end !== undefined) await this.jobs.finish(job.lease, end);
  }

  sweep(blobs: BlobStore = this.blobs): Promise<number> {
    return sweepFiles({ blobs, jobs: this.jobs, nowMs: this.clock.now() });
  }

  async keys(): Promise<string[]> {
    return (await keysOf(this.blobs)).sort();
  }
}

const completed = (key: string): JobEnd => ({ status: "completed", result: { key } });
const failed: Extract<JobEnd, { status: "failed" }> = { status: "failed", error: { code: "CANCELLED", detail: "The job was canceled." } };

describe("the sweep of files", () => {
  test("removes the file of an export 24 hours after its end", async () => {
    const stage = new Stage();
    const key = fileKey("export", "a", 1);
    await stage.write(key);
    stage.clock.advance(hourMs);
    await stage.job("a", completed(key));
    stage.clock.advance(dayMs - 1);
    expect([await stage.sweep(), await stage.keys()]).toEqual([0, [key]]);
    stage.clock.advance(1);
    expect([await stage.sweep(), await stage.keys()]).toEqual([1, []]);
  });

  test("keeps the file that an export is being written to, however long that takes", async () => {
    const stage = new Stage();
    const key = fileKey("export", "a", 1);
    await stage.write(key, { complete: false });
    await stage.job("a");
    stage.clock.advance(3 * dayMs);
    expect([await stage.sweep(), await stage.keys()]).toEqual([0, [key]]);
  });

  test("removes what a try left behind that was not the last", async () => {
    const stage = new Stage();
    const [first, second] = [fileKey("export", "a", 1), fileKey("export", "a", 2)];
    await stage.write(first);
    stage.clock.advance(dayMs);
    await stage.write(second);
    await stage.job("a", completed(second));
    stage.clock.advance(1);
    expect([await stage.sweep(), await stage.keys()]).toEqual([1, [second]]);
  });

  test("removes files of failed exports, and those of no job, after 24 hours", async () => {
    const stage = new Stage();
    await stage.write(fileKey("export", "a", 1));
    await stage.write(fileKey("export", "b", 1), { complete: false });
    await stage.write(fileKey("import", "c", 1));
    await stage.job("a", failed);
    stage.clock.advance(dayMs);
    expect(await stage.sweep()).toBe(0);
    stage.clock.advance(1);
    expect([await stage.sweep(), await stage.keys()]).toEqual([3, []]);
  });

  test("removes the file of an import once that has ended, or 24 hours later if it can be resumed", async () => {
    const stage = new Stage();
    for (const id of ["a", "b", "c", "d"]) await stage.write(fileKey("import", id, 1));
    await stage.job("a", { status: "completed" });
    await stage.job("b", { ...failed, resumable: true });
    await stage.job("c");
    await stage.job("d", failed);
    stage.clock.advance(1);
    expect([await stage.sweep(), await stage.keys()]).toEqual([2, [fileKey("import", "b", 1), fileKey("import", "c", 1)].sort()]);
    stage.clock.advance(dayMs);
    expect([await stage.sweep(), await stage.keys()]).toEqual([1, [fileKey("import", "c", 1)]]);
  });

  test("leaves alone what is no file of a transfer", async () => {
    const stage = new Stage();
    await stage.write("avatar_7");
    stage.clock.advance(9 * dayMs);
    expect([await stage.sweep(), await stage.keys()]).toEqual([0, ["avatar_7"]]);
  });

  test("goes on behind a file that cannot be removed, and says so in the end", async () => {
    const stage = new Stage();
    for (const id of ["a", "b", "c"]) await stage.write(fileKey("export", id, 1));
    stage.clock.advance(2 * dayMs);
    const stuck = fileKey("export", "b", 1);
    const refusing: BlobStore = {
      ...stage.blobs,
      delete: (key) => (key === stuck ? Promise.reject(new Error("The disk is read-only.")) : stage.blobs.delete(key)),
    };
    await expect(stage.sweep(refusing)).rejects.toThrow("read-only");
    expect(await stage.keys()).toEqual([stuck]);
  });
});

describe("the key of a file", () => {
  test.each(["0f6f4a0e-3a53-4c0b-9c43-3f5a2c8f1f0d", "a_b_7", "_", "ä/ö ü", "../x", "1"])("leads back to the job %s", (id) => {
    expect(jobIdOf("export", fileKey("export", id, 12))).toBe(id);
    expect(jobIdOf("import", fileKey("import", id, 1))).toBe(id);
    expect(fileKey("export", id, 12)).toMatch(/^export_[A-Za-z0-9_-]+$/);
    expect(fileKey("export", id, 12).startsWith(fileKeys("export", id))).toBe(true);
  });

  test("is no beginning of another job's", () => {
    expect(fileKey("export", "ab", 1).startsWith(fileKeys("export", "a"))).toBe(false);
    expect(fileKey("export", "abc", 1).startsWith(fileKeys("export", "abcdef"))).toBe(false);
  });
});
