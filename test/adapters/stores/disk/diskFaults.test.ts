// @isolated

import { readdirSync, readlinkSync, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { diskBlobs } from "restwright/disk";
import { expect, test, vi } from "vitest";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { BlobDrafts, BlobListing, BlobStore, Draft } from "../../../../src/ground/storage/files/blobs.js";
import { onlyIf } from "../../../tools/engines.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { bytesOf } from "../blobs/blobContents.js";
import { readableDrafts } from "../blobs/readableDrafts.js";

/** The call of the file system that fails is the one before which so many others came. */
const fault = vi.hoisted(() => ({ after: Number.POSITIVE_INFINITY, call: "" }));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  /** What fails has been done nevertheless, as far as a file that is closed is concerned. */
  const failing =
    <Given extends unknown[], R>(name: string, work: (...given: Given) => Promise<R>) =>
    async (...given: Given): Promise<R> => {
      fault.after -= 1;
      const isFaulty = fault.after === -1;
      if (isFaulty) fault.call = name;
      const error = Object.assign(new Error(`EIO: i/o error, ${name}`), { code: "EIO", syscall: name });
      if (isFaulty && name !== "close") throw error;
      const result = await work(...given);
      if (isFaulty) throw error;
      return result;
    };
  const watched = (handle: FileHandle) => {
    // Nothing here looks behind the cache of the system, which is fast.
    Object.assign(handle, { datasync: async () => {}, sync: async () => {} });
    for (const name of ["writev", "truncate", "datasync", "sync", "stat", "read", "close"] as const)
      Object.assign(handle, { [name]: failing(name, (handle[name] as (...given: unknown[]) => Promise<unknown>).bind(handle)) });
    return handle;
  };
  return {
    ...real,
    open: failing("open", async (...given: Parameters<typeof real.open>) => watched(await real.open(...given))),
    ...Object.fromEntries(
      (["mkdir", "rename", "copyFile", "unlink", "rm", "stat", "access", "readdir"] as const).map((name) => [
        name,
        failing(name, real[name] as (...given: unknown[]) => Promise<unknown>),
      ]),
    ),
  };
});

function openBelow(path: string): number {
  const target = (descriptor: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return "";
    }
  };
  return readdirSync("/proc/self/fd").filter((descriptor) => target(descriptor).startsWith(path)).length;
}

/** Does it again where it failed, as callers do. */
async function insist<R>(work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (error) {
    expect(error).toBeInstanceOf(Unavailable);
    return work();
  }
}

async function listed(store: BlobStore): Promise<BlobListing[]> {
  const all: BlobListing[] = [];
  for await (const listing of store.list("", { before: new Date(8.64e15) })) all.push(listing);
  return all;
}

async function append(drafts: BlobDrafts, draft: Draft, bytes: Buffer, isContested: boolean): Promise<Draft> {
  const writer = await drafts.resume("b", draft, { isContested });
  if (writer === undefined) throw new Error("The draft is gone.");
  try {
    await writer.write(bytes);
    return await writer.flush();
  } finally {
    await writer.close();
  }
}

async function play(path: string, store: BlobStore): Promise<void> {
  const drafts = readableDrafts(store);
  const [first, second] = [Buffer.alloc(70_000, "a"), Buffer.alloc(200_000, "b")];
  await insist(async () => {
    const writer = await store.open("a");
    try {
      await writer.write(first);
      await writer.write(second);
      await writer.commit();
    } catch (error) {
      await writer.abort();
      throw error;
    }
  });
  expect((await insist(() => bytesOf(store, "a"))).equals(Buffer.concat([first, second]))).toBe(true);
  const begun = await insist(() => drafts.begin("b"));
  const flushed = await insist(() => append(drafts, begun, first, false));
  const taken = await insist(() => append(drafts, flushed, second, true));
  const last = await insist(() => append(drafts, taken, first, false));
  expect(await insist(() => drafts.complete("b", last))).toMatchObject({ size: 340_000 });
  expect((await insist(() => bytesOf(store, "b"))).equals(Buffer.concat([first, second, first]))).toBe(true);
  const listings = await insist(() => listed(store));
  expect(listings.filter(({ complete }) => complete).length).toBe(2);
  for (const key of ["a", "b"]) {
    await insist(() => store.delete(key));
    expect(await insist(() => store.stat(key))).toBeUndefined();
  }
  expect(openBelow(path)).toBe(0);
  expect(readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())).toEqual([]);
}

async function sizeAfterFailedWrite({ handsOver }: { readonly handsOver: boolean }): Promise<number> {
  const path = temporaryFolder();
  const drafts = readableDrafts(diskBlobs({ path }));
  const writer = await drafts.resume("b", await drafts.begin("b"));
  if (writer === undefined) throw new Error("The draft is gone.");
  await writer.write(Buffer.alloc(1_000));
  await writer.flush();
  if (handsOver) await writer.handOver?.();
  // The first write succeeds.
  Object.assign(fault, { after: 1, call: "" });
  const writing = async () => {
    for (let count = 0; count < 4; count++) await writer.write(Buffer.alloc(600_000));
    await writer.flush();
  };
  await expect(writing()).rejects.toBeInstanceOf(Unavailable);
  expect(fault.call).toBe("writev");
  await writer.close();
  const [part] = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return statSync(join(part?.parentPath ?? "", part?.name ?? "")).size;
}

test("after a write that failed, a draft takes no more of the disk than its flushed bytes", async () => {
  expect(await sizeAfterFailedWrite({ handsOver: false })).toBe(1_000);
});

if (process.platform === "linux") {
  test("bytes that may have been acknowledged are kept after a write that failed", async () => {
    expect(await sizeAfterFailedWrite({ handsOver: true })).toBe(601_000);
  });
}

test(
  "whichever call of the file system fails, what was answered stays, the rest can be done again, and nothing stays open",
  onlyIf(process.platform === "linux", "only on Linux"),
  async () => {
    const calls: string[] = [];
    for (let after = 0; ; after++) {
      const path = temporaryFolder();
      Object.assign(fault, { after, call: "" });
      await play(path, diskBlobs({ path })).catch((error: unknown) => {
        throw new Error(`Where call ${after} fails, ${fault.call}, behind ${calls.slice(-5)}`, { cause: error });
      });
      if (fault.call === "") break;
      calls.push(fault.call);
    }
    expect(calls.length).toBeGreaterThan(80);
  },
);
