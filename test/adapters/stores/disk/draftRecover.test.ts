import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobStore } from "restwright";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { bootId } from "../../../../adapters/stores/disk/bootId.js";
import { draftBytes, draftsOf } from "../../../../src/testing/blobs/draftSteps.js";
import { onlyIf } from "../../../tools/engines.js";

async function onDisk(run: (store: BlobStore) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "restwright-recover-"));
  try {
    await run(diskBlobs({ path: folder }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const places: readonly (readonly [string, (run: (store: BlobStore) => Promise<void>) => Promise<void>])[] = [
  ["memory", (run) => run(memoryBlobs())],
  ...(bootId() === undefined ? [] : [["disk", onDisk] as const]),
];

/** A draft with two recorded bytes, and a writer that has handed over two more. */
async function ahead(store: BlobStore) {
  const drafts = draftsOf(store);
  const writer = await drafts.resume("a", await drafts.begin("a"));
  if (writer === undefined) throw new Error("There is no draft.");
  await writer.write(Buffer.from("ab"));
  const draft = await writer.flush();
  await writer.write(Buffer.from("cd"));
  await writer.handOver?.();
  return { drafts, writer, draft };
}

describe.each(places)("on %s", (_, on) => {
  test("bytes that were handed over are recovered while their writer is still open", () =>
    on(async (store) => {
      const { drafts, draft, writer } = await ahead(store);
      expect(draft.size).toBe(2);
      const recovered = await drafts.recover?.("a", draft);
      if (recovered === undefined) throw new Error("Nothing was recovered.");
      expect(recovered.size).toBe(4);
      expect((await draftBytes(store, "a", recovered)).toString()).toBe("abcd");
      await writer.close();
    }));

  test("what the writer adds later is not part of a draft that was recovered and contested", () =>
    on(async (store) => {
      const { drafts, draft, writer } = await ahead(store);
      const recovered = await drafts.recover?.("a", draft);
      if (recovered === undefined) throw new Error("Nothing was recovered.");
      const next = await drafts.resume("a", recovered, { isContested: true });
      await writer.write(Buffer.from("XY"));
      await writer.handOver?.();
      await next?.write(Buffer.from("ef"));
      const now = await next?.flush();
      expect((await draftBytes(store, "a", now ?? draft)).toString()).toBe("abcdef");
      await writer.close();
      await next?.close();
    }));

  test("a draft that is gone is not recovered", () =>
    on(async (store) => {
      const { drafts, draft, writer } = await ahead(store);
      await writer.close();
      await store.delete("a");
      expect(await drafts.recover?.("a", draft)).toBeUndefined();
    }));
});

test(
  "after a restart of the system the size of a file proves nothing",
  onlyIf(bootId() !== undefined, "the system does not tell one start from another"),
  () =>
    onDisk(async (store) => {
      const { drafts, draft, writer } = await ahead(store);
      await writer.close();
      const before = { ...draft, state: JSON.stringify({ ...JSON.parse(draft.state), boot: "another" }) };
      expect(await drafts.recover?.("a", before)).toBeUndefined();
      const { boot: _, ...earlier } = JSON.parse(draft.state);
      expect(await drafts.recover?.("a", { ...draft, state: JSON.stringify(earlier) })).toBeUndefined();
      // The recorded bytes are still there.
      const resumed = await drafts.resume("a", before);
      expect((await resumed?.flush())?.size).toBe(2);
      await resumed?.close();
    }),
);
