// @isolated

import { readdirSync } from "node:fs";
import { diskBlobs } from "restwright/disk";
import { beforeEach, expect, test, vi } from "vitest";
import type { DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { readableDrafts } from "../blobs/readableDrafts.js";

/** What happens when a folder was read, and when a file that is copied was opened and there is no copy yet: whoever did so goes on afterwards. */
const after = vi.hoisted<Record<"readdir" | "open", (() => Promise<unknown>) | undefined>>(() => ({ readdir: undefined, open: undefined }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const happen = async (name: keyof typeof after) => {
    const what = after[name];
    after[name] = undefined;
    await what?.();
  };
  return {
    ...real,
    async readdir(folder: string) {
      const names = await real.readdir(folder);
      await happen("readdir");
      return names;
    },
    async copyFile(source: string, copy: string) {
      const bytes = await real.readFile(source);
      await happen("open");
      await real.writeFile(copy, bytes, { flag: "wx" });
    },
  };
});

beforeEach(() => {
  Object.assign(after, { readdir: undefined, open: undefined });
});

function open() {
  const path = temporaryFolder();
  const store = diskBlobs({ path });
  const files = () => readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  return { store, drafts: readableDrafts(store), files };
}

const always = new Date(8.64e15);

test("a blob that is committed when its parts have been looked for is deleted all the same", async () => {
  const { store, files } = open();
  const writer = await store.open("a");
  after.readdir = () => writer.commit();
  expect(await store.delete("a")).toBe(true);
  expect([await store.stat("a"), files()]).toEqual([undefined, 0]);
});

test("a draft that is completed when parts have been looked for is deleted all the same", async () => {
  const { store, drafts, files } = open();
  const draft = await drafts.begin("a");
  after.readdir = () => drafts.complete("a", draft);
  expect(await store.delete("a")).toBe(true);
  expect([await store.stat("a"), files()]).toEqual([undefined, 0]);
});

test("a draft that is taken over when its parts have been looked for is deleted all the same", async () => {
  const { store, drafts, files } = open();
  const draft = await drafts.begin("a");
  let writer: DraftWriter | undefined;
  after.readdir = async () => {
    writer = await drafts.resume("a", draft, { isContested: true });
  };
  expect(await store.delete("a")).toBe(true);
  await expect(writer?.flush()).rejects.toThrow("was deleted or ended while it was written");
  await writer?.close();
  expect(files()).toBe(0);
});

test("a draft that is deleted or completed while it is copied is not taken over", async () => {
  for (const [end, left] of [
    ["delete", 0],
    ["complete", 1],
  ] as const) {
    const { store, drafts, files } = open();
    const draft = await drafts.begin("a");
    after.open = () => (end === "delete" ? store.delete("a") : drafts.complete("a", draft));
    expect(await drafts.resume("a", draft, { isContested: true }), end).toBeUndefined();
    expect(files(), end).toBe(left);
  }
});

test("a blob that becomes whole while a listing goes on is listed as whole", async () => {
  for (const hasLeftover of [false, true]) {
    const { store } = open();
    const writer = await store.open("a");
    if (hasLeftover) await store.open("a");
    after.readdir = async () => {
      after.readdir = () => writer.commit();
    };
    const listings = [];
    for await (const listing of store.list("", { before: always })) listings.push(listing);
    expect(listings).toMatchObject([{ key: "a", size: 0, complete: true }]);
  }
});
