// @long

import { memoryBlobs } from "restwright/memory";
import { blobContract } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { BlobStore } from "../../../../src/ground/storage/files/blobs.js";
import { defects } from "./blobDefects.js";
import { type Breaking, putAtOnce } from "./brokenBlobs.js";
import { draftDefects } from "./draftDefects.js";

function contractOf(breaking: Breaking = () => ({})) {
  return blobContract({
    open: async () => {
      const sound = memoryBlobs();
      return { store: { ...sound, ...breaking(sound) } };
    },
  });
}

describe("the contract of stores of blobs", () => {
  test.each(Object.entries({ ...defects, ...draftDefects }))("notices %s", async (_name, { noticedBy, breaking }) => {
    const [sound, broken] = [await contractOf(), await contractOf(breaking)];
    const position = broken.findIndex(({ name }) => name.includes(noticedBy));
    await expect(sound[position]?.run()).resolves.toBeUndefined();
    await expect(broken[position]?.run()).rejects.toThrow();
  });

  test("lets a store off what it does not have, and says so", async () => {
    const cases = await contractOf(() => ({ drafts: undefined }));
    const skipped = cases.filter(({ skip }) => skip === "the store keeps no drafts");
    expect(skipped.length).toBeGreaterThan(20);
    expect(skipped.every(({ name }) => name.startsWith("drafts › "))).toBe(true);
  });

  test("notices a process that leaves a whole blob when it dies, or nothing that is listed", async () => {
    const cases = (dieWriting: (store: BlobStore, key: string) => Promise<void>) =>
      blobContract({
        open: async () => {
          const store = memoryBlobs();
          return { store, dieWriting: (key) => dieWriting(store, key) };
        },
      });
    const name = "a process that dies while it writes leaves no blob";
    const run = async (dieWriting: (store: BlobStore, key: string) => Promise<void>) =>
      (await cases(dieWriting)).find((one) => one.name.includes(name))?.run();
    await expect(run(async (store, key) => void (await store.open(key)))).resolves.toBeUndefined();
    await expect(run((store, key) => putAtOnce(store, key, Buffer.from("whole")))).rejects.toThrow();
    await expect(run(async () => {})).rejects.toThrow();
  });
});
