import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { memoryBlobs } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { writeFile } from "../../../src/capabilities/transfer/export/writeFile.js";
import { bytesOf, keysOf } from "../../adapters/stores/blobs/blobContents.js";

async function* text(...pieces: string[]): AsyncGenerator<string, void, void> {
  yield* pieces;
}

const never = new AbortController().signal;

describe("writeFile", () => {
  test.each([false, true])("keeps all pieces, and says how many bytes with which hash (gzip: %s)", async (gzip) => {
    const blobs = memoryBlobs();
    const long = "Łódź,".repeat(50_000);
    const written = await writeFile(blobs, "a", text("head\n", "", long), { contentType: "text/csv", gzip, signal: never });
    const bytes = await bytesOf(blobs, "a");
    expect((gzip ? gunzipSync(bytes) : bytes).toString()).toBe(`head\n${long}`);
    expect(written).toEqual({ bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
  });

  test("writes nothing but a whole empty file of nothing", async () => {
    const blobs = memoryBlobs();
    const written = await writeFile(blobs, "a", text(), { contentType: "text/csv", gzip: false, signal: never });
    expect([written.bytes, (await blobs.stat("a"))?.size]).toEqual([0, 0]);
  });

  test.each([false, true])("leaves nothing where its source fails, and releases it (gzip: %s)", async (gzip) => {
    const blobs = memoryBlobs();
    async function* failing(): AsyncGenerator<string, void, void> {
      yield "x".repeat(100_000);
      throw new Error("the store went away");
    }
    await expect(writeFile(blobs, "a", failing(), { contentType: "text/csv", gzip, signal: never })).rejects.toThrow("the store went away");
    expect(await keysOf(blobs)).toEqual([]);
  });

  test.each([false, true])("ends with the reason of its signal, releases its source and leaves nothing (gzip: %s)", async (gzip) => {
    const blobs = memoryBlobs();
    const controller = new AbortController();
    let released = false;
    async function* endless(): AsyncGenerator<string, void, void> {
      try {
        for (let index = 0; ; index++) {
          if (index === 100) controller.abort(new Error("canceled"));
          yield `${index} ${Math.sin(index)} `.repeat(3_000);
        }
      } finally {
        released = true;
      }
    }
    await expect(writeFile(blobs, "a", endless(), { contentType: "text/csv", gzip, signal: controller.signal })).rejects.toThrow("canceled");
    expect([released, await keysOf(blobs)]).toEqual([true, []]);
  });
});
