// @isolated

import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { diskBlobs } from "restwright/disk";
import { describe, expect, test, vi } from "vitest";
import type { BlobStore, Draft, DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { readableDrafts } from "../blobs/readableDrafts.js";

/** What a power cut may undo: names since their folder was last made durable, and bytes since their file was. A rename may come to the disk before them. */
const disk = vi.hoisted(() => ({
  names: new Set<string>(),
  /** By inodes: how often they were written to, and how much of that is durable. */
  written: new Map<number, number>(),
  durable: new Map<number, number>(),
  renamedTooEarly: [] as string[],
  /** Why folders cannot be opened, by their paths. */
  refused: new Map<string, string>(),
}));

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof import("node:fs/promises")>();
  const write = (inode: number) => disk.written.set(inode, (disk.written.get(inode) ?? 0) + 1);

  function watched(handle: FileHandle, path: string): FileHandle {
    const inode = statSync(path).ino;
    const { writev, truncate, datasync, sync } = handle;
    const writing =
      (work: (...given: never[]) => Promise<unknown>) =>
      async (...given: never[]) => {
        const result = await work.apply(handle, given);
        write(inode);
        return result;
      };
    const syncing = (work: () => Promise<void>) => async () => {
      const names = [...disk.names].filter((name) => dirname(name) === path);
      const written = disk.written.get(inode) ?? 0;
      await work.call(handle);
      for (const name of names) disk.names.delete(name);
      disk.durable.set(inode, written);
    };
    return Object.assign(handle, { writev: writing(writev), truncate: writing(truncate), datasync: syncing(datasync), sync: syncing(sync) });
  }

  return {
    ...real,
    async open(path: string, flags: string) {
      const code = disk.refused.get(path);
      if (code !== undefined) throw Object.assign(new Error(`${code}: open "${path}"`), { code });
      const handle = await real.open(path, flags);
      if (flags === "wx") disk.names.add(path);
      return watched(handle, path);
    },
    async mkdir(path: string, options: { recursive: true }) {
      const first = await real.mkdir(path, options);
      for (let made = path; first !== undefined && made.length >= first.length; made = dirname(made)) disk.names.add(made);
      return first;
    },
    async rename(from: string, to: string) {
      const { ino } = statSync(from);
      if (disk.written.get(ino) !== disk.durable.get(ino)) disk.renamedTooEarly.push(to);
      await real.rename(from, to);
      disk.names.add(to);
    },
    async copyFile(source: string, copy: string, mode: number) {
      await real.copyFile(source, copy, mode);
      disk.names.add(copy);
      write(statSync(copy).ino);
    },
    async unlink(path: string) {
      await real.unlink(path);
      disk.names.add(path);
    },
  };
});

/** What of a file a power cut might take away. */
function endangered(file: string): string[] {
  const found = [];
  for (let path = file; path !== dirname(path); path = dirname(path)) if (disk.names.has(path)) found.push(`the name ${basename(path)}`);
  const { ino } = statSync(file);
  if ((disk.written.get(ino) ?? 0) !== (disk.durable.get(ino) ?? 0)) found.push(`the bytes of ${basename(file)}`);
  return found;
}

function fileOf(root: string, suffix: string): string {
  const [name = "", ...others] = readdirSync(root, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(suffix));
  expect(others).toEqual([]);
  return join(root, name);
}

async function write(writer: DraftWriter | undefined, length: number): Promise<Draft> {
  await writer?.write(Buffer.alloc(length, "x"));
  const draft = await writer?.flush();
  await writer?.close();
  if (draft === undefined) throw new Error("The draft is gone.");
  return draft;
}

async function holds(root: string, store: BlobStore): Promise<void> {
  const drafts = readableDrafts(store);
  const safe = (suffix: string) => expect(endangered(fileOf(root, suffix))).toEqual([]);
  const partOf = ({ state }: Draft) => `${JSON.parse(state).part}.part`;
  for (const length of [10, 5_000_000]) {
    const writer = await store.open("a");
    await writer.write(Buffer.alloc(length));
    await writer.commit();
    safe("0-a");
    const begun = await drafts.begin("b");
    safe(partOf(begun));
    const flushed = await write(await drafts.resume("b", begun), length);
    safe(partOf(flushed));
    const taken = await write(await drafts.resume("b", flushed, { isContested: true }), length);
    safe(partOf(taken));
    safe(partOf(flushed));
    await drafts.complete("b", taken);
    safe("0-b");
    for (const key of ["a", "b"]) await store.delete(key);
    expect([...disk.names].filter((name) => /0-[ab]$/.test(name))).toEqual([]);
  }
  expect(disk.renamedTooEarly).toEqual([]);
}

describe("a power cut takes nothing away that was answered", () => {
  test("in a folder that is made for it", async () => {
    const root = join(temporaryFolder(), "blobs");
    await holds(root, diskBlobs({ path: root }));
  });

  test("in folders whose maker died, or has only just made them", async () => {
    const data = join(temporaryFolder(), "data");
    const root = join(data, "blobs");
    for (let number = 0; number < 256; number++) mkdirSync(join(root, number.toString(16).padStart(2, "0")), { recursive: true });
    for (const name of [data, root, ...readdirSync(root).map((name) => join(root, name))]) disk.names.add(name);
    await holds(root, diskBlobs({ path: root }));
  });

  test("in a folder that was removed and made again", async () => {
    const root = join(temporaryFolder(), "blobs");
    const store = diskBlobs({ path: root });
    await holds(root, store);
    rmSync(root, { recursive: true });
    await holds(root, store);
  });

  test("where the delete before has died in the middle", async () => {
    const root = join(temporaryFolder(), "blobs");
    const store = diskBlobs({ path: root });
    await (await store.open("a")).commit();
    const file = fileOf(root, "0-a");
    rmSync(file);
    disk.names.add(file);
    expect(await store.delete("a")).toBe(false);
    expect(disk.names.has(file)).toBe(false);
  });
});

test.each(["EACCES", "EPERM", "EINVAL", "ERR_ACCESS_DENIED"])("folders above the one of the blobs may be refused: %s", async (code) => {
  const above = temporaryFolder();
  const root = join(above, "blobs");
  mkdirSync(root);
  disk.refused.set(above, code);
  await holds(root, diskBlobs({ path: root }));
});
