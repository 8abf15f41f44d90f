import { memoryBlobs, memoryStorage } from "restwright/memory";
import { faultyBlobs, faultyStorage } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { BlobStore, Draft } from "../../src/ground/storage/files/blobs.js";

const pieces = ["one ", "two ", "three"] as const;
const whole = Buffer.from(pieces.join(""));

/** Where the newest draft is kept. */
interface Kept {
  draft: Draft | undefined;
}

/** Goes on where whoever came before has stopped, which may still be at it. */
async function upload({ drafts }: BlobStore, kept: Kept): Promise<void> {
  kept.draft ??= await drafts?.begin("upload", { contentType: "text/plain" });
  while (kept.draft !== undefined && kept.draft.size < whole.length) {
    const writer = await drafts?.resume("upload", kept.draft, { isContested: true });
    if (writer === undefined) throw new Error("The draft is gone.");
    try {
      await writer.write(whole.subarray(kept.draft.size, kept.draft.size + 4));
      kept.draft = await writer.flush();
    } finally {
      await writer.close();
    }
  }
  if (kept.draft !== undefined) expect(await drafts?.complete("upload", kept.draft)).toMatchObject({ size: whole.length });
}

async function bytesOf(blobs: BlobStore): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (await blobs.read("upload")) ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe("a process that dies while it writes a draft", () => {
  const counting = faultyStorage(memoryStorage());

  test("has its calls counted, but for those that let go of what it holds", async () => {
    await upload(faultyBlobs(memoryBlobs(), counting), { draft: undefined });
    expect(counting.calls).toBe(1 + 4 * 3 + 1);
  });

  test.each(["before", "after"] as const)("is followed by one that completes it, %s whichever call", async (how) => {
    for (let dieAfter = 1; dieAfter <= 14; dieAfter++) {
      const blobs = memoryBlobs();
      const dying = faultyStorage(memoryStorage(), { dieAfter, how });
      const kept: Kept = { draft: undefined };
      await expect(upload(faultyBlobs(blobs, dying), kept)).rejects.toThrow(`The process died ${how} its call ${dieAfter}, `);
      await upload(blobs, kept);
      expect(await bytesOf(blobs)).toEqual(whole);
      const left: boolean[] = [];
      for await (const { complete } of blobs.list("", { before: new Date(8.64e15) })) left.push(complete);
      expect(left).toEqual([true]);
    }
  });

  test("has no drafts where the store has none", () => {
    const { drafts: _, ...without } = memoryBlobs();
    expect(faultyBlobs(without, counting).drafts).toBeUndefined();
  });
});
