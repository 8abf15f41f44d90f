// @long

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs } from "restwright/memory";
import { s3Blobs } from "restwright/s3";
import { afterAll, describe, expect, test } from "vitest";
import type { BlobDrafts, BlobStore, Draft, DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { startS3Fake } from "../s3/bucket/fake.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-drafts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const key = "upload";

type Step =
  | { readonly does: "resume" | "take over" | "close" | "lose a flush" | "flush" | "flush late" }
  | { readonly does: "write" | "write late"; readonly bytes: number };

/** One draft in the hands of many, and what it has to be. */
class History {
  readonly #drafts: BlobDrafts;
  #recorded: Draft;
  #recordedBytes: Buffer = Buffer.alloc(0);
  #writer: { readonly writer: DraftWriter; bytes: Buffer } | undefined;
  readonly #stale: DraftWriter[] = [];
  /** Whether one of those who had the draft may still write into what the record names. */
  #isContested = false;
  #value = 0;
  /** How many times as long all is that is written. */
  readonly #factor: number;

  constructor(drafts: BlobDrafts, begun: Draft, factor: number) {
    this.#drafts = drafts;
    this.#recorded = begun;
    this.#factor = factor;
  }

  async play(step: Step): Promise<void> {
    if (step.does === "resume" && this.#writer === undefined) await this.#resume();
    if (step.does === "take over") await this.#takeOver();
    if (step.does === "write") await this.#write(step.bytes);
    if (step.does === "write late") for (const stale of this.#stale) await stale.write(this.#chunk(step.bytes)).catch(() => {});
    if (step.does === "flush late") for (const stale of this.#stale) await stale.flush().catch(() => {});
    if (step.does === "flush") await this.#flush();
    if (step.does === "lose a flush") await this.#writer?.writer.flush();
    if (step.does === "close") await this.#close();
  }

  async end(store: BlobStore): Promise<void> {
    await this.#close();
    if (this.#isContested) await this.#takeOver();
    await this.#flush();
    await this.#close();
    if (this.#drafts.read !== undefined) expect((await joined(await this.#drafts.read(key, this.#recorded))).equals(this.#recordedBytes)).toBe(true);
    const completed = await this.#drafts.complete(key, this.#recorded);
    for (const stale of this.#stale) {
      await stale.write(this.#chunk(100_000)).catch(() => {});
      await stale.flush().catch(() => {});
      await stale.close();
    }
    expect(await this.#drafts.complete(key, this.#recorded)).toEqual(completed);
    expect(await store.stat(key)).toEqual(completed);
    expect((await joined(await store.read(key))).equals(this.#recordedBytes)).toBe(true);
  }

  async #resume(): Promise<void> {
    const writer = await this.#drafts.resume(key, this.#recorded, { isContested: this.#isContested });
    assert.ok(writer !== undefined);
    this.#writer = { writer, bytes: this.#recordedBytes };
  }

  async #takeOver(): Promise<void> {
    if (this.#writer !== undefined) this.#stale.push(this.#writer.writer);
    this.#isContested = true;
    await this.#resume();
  }

  async #write(bytes: number): Promise<void> {
    if (this.#writer === undefined) return;
    const chunk = this.#chunk(bytes);
    this.#writer.bytes = Buffer.concat([this.#writer.bytes, chunk]);
    await this.#writer.writer.write(chunk);
  }

  async #flush(): Promise<void> {
    if (this.#writer === undefined) return;
    this.#recorded = await this.#writer.writer.flush();
    this.#recordedBytes = this.#writer.bytes;
    this.#isContested = false;
    expect(this.#recorded.size).toBe(this.#recordedBytes.length);
  }

  async #close(): Promise<void> {
    await this.#writer?.writer.close();
    this.#writer = undefined;
  }

  /** Each of another value. */
  #chunk(bytes: number): Buffer {
    this.#value += 1;
    return Buffer.alloc(bytes * this.#factor, this.#value);
  }
}

async function joined(chunks: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks ?? []) all.push(chunk);
  return Buffer.concat(all);
}

const sizes = fc.oneof(fc.nat(200), fc.integer({ min: 16_000, max: 17_000 }), fc.integer({ min: 65_000, max: 300_000 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom("write" as const, "write late" as const), bytes: sizes }) },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constantFrom("resume", "resume", "take over", "close", "lose a flush", "flush", "flush", "flush late") }),
  },
);

async function holds(open: () => BlobStore, { numRuns = 100, factor = 1 } = {}): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      const store = open();
      assert.ok(store.drafts !== undefined);
      const history = new History(store.drafts, await store.drafts.begin(key), factor);
      for (const one of steps) await history.play(one);
      await history.end(store);
    }),
    { numRuns },
  );
}

describe("whoever has a draft, for however long, and whatever is lost, it has the bytes of the newest record and no others", {
  timeout: 60_000,
}, () => {
  test("in memory", () => holds(memoryBlobs));

  test("on disk, where one file is left in the end", async () => {
    let count = 0;
    await holds(() => {
      count += 1;
      return diskBlobs({ path: join(folder, String(count)) });
    });
    for (let each = 1; each <= count; each++) {
      const files = readdirSync(join(folder, String(each)), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      expect(files.map(({ name }) => name)).toEqual(["0-upload"]);
    }
  });

  test("in S3, where one object is left in the end", async () => {
    const fake = await startS3Fake({ equalParts: true });
    const buckets: string[] = [];
    const open = () => {
      const bucket = fake.bucket();
      buckets.push(bucket);
      return s3Blobs({ endpoint: fake.endpoint, region: fake.region, bucket, ...fake.keys });
    };
    await holds(open, { numRuns: 15, factor: 25 });
    for (const { objects, uploads } of buckets.map(fake.inside)) expect([[...objects.keys()], uploads.size]).toEqual([[key], 0]);
    await fake.close();
  });
});
