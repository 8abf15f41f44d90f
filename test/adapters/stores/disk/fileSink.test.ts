import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { FileSink, type PositionedFile } from "../../../../adapters/stores/disk/sink.js";
import { onlyIf } from "../../../tools/engines.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-sink-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file that takes at most so many bytes at once, as a disk that fills up does. */
function takingAtMost(file: FileHandle, bytes: number): PositionedFile {
  return {
    writev: (chunks, position) => {
      const taken: Uint8Array[] = [];
      let rest = bytes;
      for (const chunk of chunks) {
        if (rest > 0) taken.push(chunk.subarray(0, rest));
        rest -= chunk.length;
      }
      return file.writev(taken, position);
    },
  };
}

test("whatever the sizes of chunks, and however little the file takes at once, the bytes are written in order", async () => {
  const sizes = fc.array(fc.oneof(fc.nat(300), fc.nat(20_000), fc.integer({ min: 60_000, max: 70_000 }), fc.constant(1_500_000)), { maxLength: 30 });
  const path = join(folder, "bytes");
  await fc.assert(
    fc.asyncProperty(sizes, fc.constantFrom(50_000, 65_536, 1_000_000, Number.MAX_SAFE_INTEGER), async (lengths, atMost) => {
      const file = await open(path, "w");
      const sink = new FileSink(takingAtMost(file, atMost));
      const chunks = lengths.map((length, index) => Buffer.alloc(length, index + 1));
      for (const chunk of chunks) await sink.write(chunk);
      await sink.flush();
      await file.close();
      expect(readFileSync(path).equals(Buffer.concat(chunks))).toBe(true);
    }),
    { numRuns: 40 },
  );
});

/** A file whose writes end when they are told to. */
function stalledFile() {
  const writes: { readonly bytes: number; end(): void }[] = [];
  const file: PositionedFile = {
    writev: (chunks) =>
      new Promise((resolve) => {
        const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
        writes.push({ bytes, end: () => resolve({ bytesWritten: bytes }) });
      }),
  };
  return { file, writes };
}

async function isPending(work: Promise<unknown>): Promise<boolean> {
  const turn = new Promise<"pending">((resolve) => setImmediate(resolve, "pending"));
  return (await Promise.race([work, turn])) === "pending";
}

test("one write is in flight, the next chunks are gathered meanwhile, and a mebibyte of them makes the writer wait", async () => {
  const { file, writes } = stalledFile();
  const sink = new FileSink(file);
  const chunk = Buffer.alloc(65_536);
  for (let count = 0; count < 7; count++) await sink.write(chunk);
  expect(writes).toEqual([]);
  for (let count = 0; count < 16; count++) await sink.write(chunk);
  expect(writes.map(({ bytes }) => bytes)).toEqual([524_288]);
  const waiting = sink.write(chunk);
  expect(await isPending(waiting)).toBe(true);
  writes[0]?.end();
  await waiting;
  expect(writes.map(({ bytes }) => bytes)).toEqual([524_288, 1_048_576]);
  const stopping = sink.stop();
  expect(await isPending(stopping)).toBe(true);
  writes[1]?.end();
  await stopping;
  await expect(sink.write(chunk)).rejects.toThrow("The file is no longer being written.");
  expect(writes.length).toBe(2);
});

test("a chunk is taken at once as long as nothing has to be waited for", async () => {
  const { file, writes } = stalledFile();
  const sink = new FileSink(file);
  const chunk = Buffer.alloc(262_144);
  expect([sink.takes(chunk), sink.takes(chunk)]).toEqual([true, true]);
  expect(writes.map(({ bytes }) => bytes)).toEqual([524_288]);
  // The mebibyte that is reached while a write is in flight has to wait.
  expect([sink.takes(chunk), sink.takes(chunk), sink.takes(chunk), sink.takes(chunk)]).toEqual([true, true, true, false]);
  const waiting = sink.write(chunk);
  expect(await isPending(waiting)).toBe(true);
  writes[0]?.end();
  await waiting;
  expect(writes.map(({ bytes }) => bytes)).toEqual([524_288, 1_048_576]);
  writes[1]?.end();
  await sink.flush();
  await sink.stop();
  expect(sink.takes(chunk)).toBe(false);
});

test("a chunk is given back after it is written, in order and once", async () => {
  const { file, writes } = stalledFile();
  const sink = new FileSink(file);
  const given: (number | undefined)[] = [];
  const chunks = Array.from({ length: 9 }, (_, index) => Buffer.alloc(65_536, index));
  for (const chunk of chunks) expect(sink.takes(chunk, ([first]) => given.push(first))).toBe(true);
  expect(writes.map(({ bytes }) => bytes)).toEqual([524_288]);
  expect(given).toEqual([]);
  writes[0]?.end();
  const flushing = sink.flush();
  await isPending(flushing);
  expect(given).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  writes[1]?.end();
  await flushing;
  expect(given).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test("a chunk that could not be written is not given back", async () => {
  const sink = new FileSink({ writev: async () => Promise.reject(new Error("EIO")) });
  let givenBack = 0;
  await sink.write(Buffer.alloc(65_536), () => {
    givenBack += 1;
  });
  await expect(sink.flush()).rejects.toThrow("EIO");
  expect(givenBack).toBe(0);
});

test("a few bytes wait for more, and are written at the end", async () => {
  const { file, writes } = stalledFile();
  const sink = new FileSink(file);
  for (let count = 0; count < 1_000; count++) await sink.write(Buffer.alloc(10));
  expect(writes).toEqual([]);
  const flushing = sink.flush();
  await isPending(flushing);
  writes[0]?.end();
  await flushing;
  expect(writes.map(({ bytes }) => bytes)).toEqual([10_000]);
});

describe("on a full disk", onlyIf(process.platform === "linux", "only on Linux"), () => {
  test("the error comes with a later chunk, or at the end", async () => {
    const file = await open("/dev/full", "w");
    try {
      const many = async () => {
        const sink = new FileSink(file);
        for (let count = 0; count < 100; count++) await sink.write(Buffer.alloc(65_536));
      };
      await expect(many()).rejects.toMatchObject({ code: "ENOSPC" });
      const sink = new FileSink(file);
      await sink.write(Buffer.from("few"));
      await expect(sink.flush()).rejects.toMatchObject({ code: "ENOSPC" });
      await expect(sink.write(Buffer.from("more"))).rejects.toMatchObject({ code: "ENOSPC" });
    } finally {
      await file.close();
    }
  });
});

test("a large file is made durable while it is written, and what goes wrong there is a fault", async () => {
  let syncs = 0;
  let fault: Error | undefined;
  const file: PositionedFile = {
    writev: async (chunks) => ({ bytesWritten: chunks.reduce((sum, { byteLength }) => sum + byteLength, 0) }),
    async datasync() {
      syncs += 1;
      if (fault !== undefined) throw fault;
    },
  };
  const sink = new FileSink(file);
  const chunk = Buffer.alloc(1_048_576);
  await sink.write(chunk);
  await sink.flush();
  expect(syncs).toBe(0);
  for (let count = 0; count < 14; count++) await sink.write(chunk);
  await sink.flush();
  expect(syncs).toBe(0);
  for (let count = 0; count < 50; count++) await sink.write(chunk);
  await sink.flush();
  expect(syncs).toBeGreaterThanOrEqual(2);
  fault = new Error("the disk is gone");
  const filling = async () => {
    for (let count = 0; count < 40; count++) await sink.write(chunk);
    await sink.flush();
  };
  await expect(filling()).rejects.toThrow("the disk is gone");
});
