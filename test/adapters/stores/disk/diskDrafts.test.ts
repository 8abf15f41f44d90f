// @long

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFileSync, copyFileSync, readdirSync, readFileSync, readlinkSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { diskBlobs } from "restwright/disk";
import { expect, test } from "vitest";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { BlobStore, Draft, DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { onlyIf } from "../../../tools/engines.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { type ReadableDrafts, readableDrafts } from "../blobs/readableDrafts.js";
import { startDraftWriter } from "./draftWriterProcess.js";

interface Opened {
  readonly path: string;
  readonly store: BlobStore;
  readonly drafts: ReadableDrafts;
}

function open(path = temporaryFolder()): Opened {
  const store = diskBlobs({ path });
  return { path, store, drafts: readableDrafts(store) };
}

async function resume({ drafts }: Opened, key: string, draft: Draft, isContested = false): Promise<DraftWriter> {
  const writer = await drafts.resume(key, draft, { isContested });
  assert.ok(writer !== undefined);
  return writer;
}

async function append(opened: Opened, key: string, draft: Draft, bytes: Uint8Array, isContested = false): Promise<Draft> {
  const writer = await resume(opened, key, draft, isContested);
  await writer.write(bytes);
  const after = await writer.flush();
  await writer.close();
  return after;
}

async function joined(chunks: AsyncIterable<Uint8Array> | undefined): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks ?? []) all.push(chunk);
  return Buffer.concat(all);
}

/** Paths below a folder, of files only. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []));
}

function opened(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

test("a draft is one file, of its bytes and nothing else, which becomes that of the blob", async () => {
  const disk = open();
  const begun = await disk.drafts.begin("report", { contentType: "text/csv" });
  const [part = "", ...others] = filesIn(disk.path);
  expect(others).toEqual([]);
  expect(basename(part)).toMatch(/^0-report\.[0-9a-f]{16}\.part$/);
  const draft = await append(disk, "report", begun, Buffer.from("a,b\n"));
  expect(readFileSync(part, "utf8")).toBe("a,b\n");
  const completed = await disk.drafts.complete("report", draft);
  expect(completed).toMatchObject({ size: 4, contentType: "text/csv" });
  const file = join(dirname(part), "0-report");
  expect(filesIn(disk.path)).toEqual([file]);
  expect(readFileSync(file, "utf8")).toMatch(/^a,b\n\{"size":4,"contentType":"text\/csv","etag":"[\w-]{22}"\}00000000\d\d restwright blob 1\n$/);
});

test("a takeover writes into a file of its own; the one before goes when the draft is resumed", async () => {
  const disk = open();
  const draft = await append(disk, "a", await disk.drafts.begin("a"), Buffer.from("one"));
  const [first = ""] = filesIn(disk.path);
  appendFileSync(first, "what nobody flushed");
  const taken = await append(disk, "a", draft, Buffer.from("+two"), true);
  const second = filesIn(disk.path).find((file) => file !== first) ?? "";
  expect(readFileSync(second, "utf8")).toBe("one+two");
  expect(filesIn(disk.path).length).toBe(2);
  const last = await append(disk, "a", taken, Buffer.from("+three"));
  expect(filesIn(disk.path)).toEqual([second]);
  expect(await disk.drafts.resume("a", draft)).toBeUndefined();
  await disk.drafts.complete("a", last);
  expect(await joined(await disk.store.read("a"))).toEqual(Buffer.from("one+two+three"));
  expect(filesIn(disk.path).length).toBe(1);
});

test("a takeover that comes to nothing leaves no file behind", async () => {
  const disk = open();
  const draft = await append(disk, "a", await disk.drafts.begin("a"), Buffer.from("one"));
  const files = filesIn(disk.path);
  const writer = await resume(disk, "a", draft, true);
  await writer.write(Buffer.alloc(500_000));
  expect(filesIn(disk.path).length).toBe(2);
  await writer.close();
  expect(filesIn(disk.path)).toEqual(files);
  truncateSync(files[0] ?? "", 2);
  expect(await disk.drafts.resume("a", draft, { isContested: true })).toBeUndefined();
  expect(filesIn(disk.path)).toEqual(files);
});

test("a draft whose file has lost bytes is gone, and not cut any further", async () => {
  const disk = open();
  const draft = await append(disk, "a", await disk.drafts.begin("a"), Buffer.alloc(1_000));
  const [file = ""] = filesIn(disk.path);
  truncateSync(file, 999);
  expect(await disk.drafts.resume("a", draft)).toBeUndefined();
  expect(await disk.drafts.read("a", draft)).toBeUndefined();
  expect(await disk.drafts.complete("a", draft)).toBeUndefined();
  expect(readFileSync(file).length).toBe(999);
});

test("while it is read, losing bytes or the file ends the reading with an error", async () => {
  const disk = open();
  const draft = await append(disk, "a", await disk.drafts.begin("a"), Buffer.alloc(500_000));
  const [file = ""] = filesIn(disk.path);
  const unread = await disk.drafts.read("a", draft);
  const reading = async () => {
    for await (const _ of (await disk.drafts.read("a", draft)) ?? []) truncateSync(file, 70_000);
  };
  await expect(reading()).rejects.toThrow(new Unavailable('The file of the blob "a" was cut off while it was read.'));
  await expect(joined(unread)).rejects.toThrow(new Unavailable('The blob "a" was removed before it was read.'));
});

test("a state leads to files of its own key only", async () => {
  const disk = open();
  const draft = await append(disk, "mine", await disk.drafts.begin("mine"), Buffer.from("mine"));
  await append(disk, "other", await disk.drafts.begin("other"), Buffer.from("other"));
  const { part } = JSON.parse(draft.state);
  const paths = filesIn(disk.path);
  const strangers = [
    `../${part}`,
    `/${part}`,
    `${part}.part/../x`,
    part.slice(1),
    `${part}0`,
    part.toUpperCase().replace(/^./, "A"),
    "",
    1,
    null,
    [part],
  ];
  for (const key of ["mine", "other"]) {
    for (const stranger of key === "mine" ? strangers : [part]) {
      const forged = { state: JSON.stringify({ part: stranger }), size: 0 };
      expect(await disk.drafts.resume(key, forged)).toBeUndefined();
      expect(await disk.drafts.resume(key, forged, { isContested: true })).toBeUndefined();
      expect(await disk.drafts.read(key, forged)).toBeUndefined();
      expect(await disk.drafts.complete(key, forged)).toBeUndefined();
    }
  }
  for (const forged of [{ part, superseded: "../0-other" }, { part, superseded: 1 }, { part, contentType: 1 }, [part], part]) {
    expect(await disk.drafts.resume("mine", { state: JSON.stringify(forged), size: 4 })).toBeUndefined();
  }
  for (const size of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) expect(await disk.drafts.resume("mine", { ...draft, size })).toBeUndefined();
  expect(filesIn(disk.path)).toEqual(paths);
  expect(await joined(await disk.drafts.read("mine", draft))).toEqual(Buffer.from("mine"));
});

test("a draft is completed after a crash at any step of completing it, with the same tag", async () => {
  const disk = open();
  const draft = await append(disk, "a", await disk.drafts.begin("a", { contentType: "text/plain" }), Buffer.alloc(100_000, "x"));
  const [part = ""] = filesIn(disk.path);
  const completed = await disk.drafts.complete("a", draft);
  const [file = ""] = filesIn(disk.path);
  const whole = readFileSync(file);
  const crashes: Readonly<Record<string, () => void>> = {
    "before anything": () => {
      renameSync(file, part);
      truncateSync(part, draft.size);
    },
    "within the trailer": () => {
      renameSync(file, part);
      truncateSync(part, draft.size + 10);
    },
    "behind a trailer of an earlier try": () => {
      renameSync(file, part);
      appendFileSync(part, whole);
    },
    "before the new name": () => renameSync(file, part),
    "before the other parts are removed": () => copyFileSync(file, part.replace(/[0-9a-f]{16}/, "0".repeat(16))),
    "before the answer": () => {},
  };
  for (const [name, crash] of Object.entries(crashes)) {
    crash();
    const again = await disk.drafts.complete("a", draft);
    expect({ ...again, lastModified: 0 }, name).toEqual({ ...completed, lastModified: 0 });
    expect(await disk.store.stat("a"), name).toEqual(again);
    expect(readFileSync(file).equals(whole), name).toBe(true);
    expect(filesIn(disk.path), name).toEqual([file]);
  }
});

test("two who complete a draft at once answer the same", async () => {
  for (let turn = 0; turn < 20; turn++) {
    const disk = open();
    const draft = await append(disk, "a", await disk.drafts.begin("a"), Buffer.alloc(70_000, turn));
    const answers = await Promise.all([
      disk.drafts.complete("a", draft),
      open(disk.path).drafts.complete("a", draft),
      disk.drafts.complete("a", draft),
    ]);
    const stat = await disk.store.stat("a");
    for (const answer of answers) expect(answer).toMatchObject({ size: 70_000, etag: stat?.etag });
    expect((await joined(await disk.store.read("a"))).equals(Buffer.alloc(70_000, turn))).toBe(true);
    expect(filesIn(disk.path).length).toBe(1);
  }
});

test("bytes that look like the end of a blob are bytes", async () => {
  const disk = open();
  const inner = await append(disk, "inner", await disk.drafts.begin("inner"), Buffer.from("inner"));
  await disk.drafts.complete("inner", inner);
  const bytes = readFileSync(filesIn(disk.path)[0] ?? "");
  const outer = await append(disk, "outer", await disk.drafts.begin("outer"), bytes);
  expect((await disk.drafts.complete("outer", outer))?.size).toBe(bytes.length);
  expect(await joined(await disk.store.read("outer"))).toEqual(bytes);
});

test("who writes a draft that was deleted is told at the next flush", async () => {
  const disk = open();
  const writer = await resume(disk, "a", await disk.drafts.begin("a"));
  await writer.write(Buffer.from("x"));
  await disk.store.delete("a");
  const message = 'The draft of the blob "a" was deleted or ended while it was written. Resume it, or write it again.';
  await expect(writer.flush()).rejects.toThrow(new Unavailable(message));
  await expect(writer.write(Buffer.from("y"))).rejects.toThrow(new Unavailable(message));
  await writer.close();
  expect(filesIn(disk.path)).toEqual([]);
});

test("nothing stays open, whatever becomes of readers and writers", onlyIf(process.platform === "linux", "only on Linux"), async () => {
  const disk = open();
  const isOpen = () => readdirSync("/proc/self/fd").filter((name) => opened(name).startsWith(disk.path)).length;
  const draft = await append(disk, "a", await disk.drafts.begin("a"), Buffer.alloc(500_000));
  expect(isOpen()).toBe(0);
  const writers = [await resume(disk, "a", draft), await resume(disk, "a", draft, true), await resume(disk, "a", draft, true)];
  expect(isOpen()).toBe(3);
  await writers[0]?.write(Buffer.alloc(2_000_000));
  const [writing, closing] = [writers[1]?.write(Buffer.alloc(2_000_000)), writers[1]?.close()];
  await Promise.allSettled([writing, closing]);
  await writers[2]?.flush();
  for (const writer of writers) await writer.close();
  for await (const chunk of (await disk.drafts.read("a", draft)) ?? []) if (chunk.length > 0) break;
  await disk.drafts.read("a", draft);
  for (const isContested of [false, true]) {
    expect(await disk.drafts.resume("a", { ...draft, size: 10_000_000 }, { isContested })).toBeUndefined();
    expect(await disk.drafts.resume("b", draft, { isContested })).toBeUndefined();
  }
  expect(await disk.drafts.complete("a", { ...draft, size: 10_000_000 })).toBeUndefined();
  const deleted = await resume(disk, "a", draft);
  await disk.store.delete("a");
  await expect(deleted.flush()).rejects.toThrow(Unavailable);
  await deleted.close();
  expect(isOpen()).toBe(0);
  expect(filesIn(disk.path)).toEqual([]);
});

test("a disk that cannot answer is Unavailable, with the cause", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  const { drafts } = open(join(file, "blobs"));
  const draft = { state: JSON.stringify({ part: "0".repeat(16) }), size: 0 };
  const calls = [
    () => drafts.begin("a"),
    () => drafts.resume("a", draft),
    () => drafts.resume("a", draft, { isContested: true }),
    () => drafts.read("a", draft),
    () => drafts.complete("a", draft),
  ];
  for (const call of calls) {
    const error: unknown = await call().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({ cause: { code: "ENOTDIR" } });
  }
});

test(
  "a write that the disk does not take ends the writer, and leaves the draft before as it was",
  onlyIf(process.platform !== "win32", "not on Windows"),
  async () => {
    const script = fileURLToPath(new URL("draftsBeyondLimit.ts", import.meta.url));
    const run = ["-c", 'ulimit -f 4096 && exec "$0" "$@"', process.execPath, "--import", "tsx", script];
    const { stdout } = await promisify(execFile)("sh", run, { env: { ...process.env, BLOBS_PATH: temporaryFolder() } });
    const ended = 'The draft of the blob "large" was deleted or ended while it was written. Resume it, or write it again.';
    expect(JSON.parse(stdout)).toEqual({
      refused: ["The disk cannot answer: a file has become larger than it or this process allows. Allow more.", ended, ended],
      size: 1_000_000,
      isWhole: true,
    });
  },
);

test("a process that is killed while it writes loses nothing that it flushed", async () => {
  const disk = open();
  const begun = await append(disk, "a", await disk.drafts.begin("a"), Buffer.from("begin"));
  const writer = startDraftWriter({ path: disk.path, key: "a", draft: begun });
  await writer.flushed(5);
  writer.signal("SIGKILL");
  await writer.ended;
  const flushed = writer.drafts.at(-1) ?? begun;
  expect(flushed.size).toBe(5 + writer.drafts.length * 1_000_020);
  const last = await append(disk, "a", flushed, Buffer.from("end"));
  await disk.drafts.complete("a", last);
  const expected = Buffer.concat([Buffer.from("begin"), Buffer.alloc(flushed.size - 5, 1), Buffer.from("end")]);
  expect((await joined(await disk.store.read("a"))).equals(expected)).toBe(true);
});

test(
  "a process that was stopped while it wrote, and goes on when it was taken over, writes nothing that counts",
  onlyIf(process.platform !== "win32", "not on Windows"),
  async () => {
    const disk = open();
    const begun = await append(disk, "a", await disk.drafts.begin("a"), Buffer.from("begin"));
    const stale = startDraftWriter({ path: disk.path, key: "a", draft: begun });
    await stale.flushed(3);
    stale.signal("SIGSTOP");
    const draft = stale.drafts.at(-1) ?? begun;
    const writer = await resume(disk, "a", draft, true);
    await writer.write(Buffer.alloc(3_000_000, 2));
    const before = stale.drafts.length;
    stale.signal("SIGCONT");
    await stale.flushed(before + 3);
    await writer.write(Buffer.alloc(300_000, 3));
    const taken = await writer.flush();
    await stale.flushed(before + 6);
    await writer.write(Buffer.alloc(10, 4));
    const last = await writer.flush();
    await writer.close();
    expect(last.state).toBe(taken.state);
    const completed = await disk.drafts.complete("a", last);
    expect(await stale.ended).toBe(0);
    expect(stale.refused).toBe('The draft of the blob "a" was deleted or ended while it was written. Resume it, or write it again.');
    const own = [Buffer.alloc(3_000_000, 2), Buffer.alloc(300_000, 3), Buffer.alloc(10, 4)];
    const expected = Buffer.concat([Buffer.from("begin"), Buffer.alloc(draft.size - 5, 1), ...own]);
    expect((await joined(await disk.store.read("a"))).equals(expected)).toBe(true);
    expect(await disk.store.stat("a")).toEqual(completed);
    expect(filesIn(disk.path).length).toBe(1);
  },
);
