// @slow

import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { diskBlobs } from "restwright/disk";
import { describe, expect, test } from "vitest";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import type { BlobListing, BlobStore } from "../../../../src/ground/storage/files/blobs.js";
import { onlyIf } from "../../../tools/engines.js";
import { temporaryFolder } from "../../../tools/temporary.js";
import { bytesOf } from "../blobs/blobContents.js";
import { startBlobWriter } from "./blobWriterProcess.js";

const before = new Date(8.64e15);

async function put(store: BlobStore, key: string, bytes: Uint8Array, contentType?: string) {
  const writer = await store.open(key, { contentType });
  await writer.write(bytes);
  return writer.commit();
}

async function listed(store: BlobStore): Promise<BlobListing[]> {
  const all: BlobListing[] = [];
  for await (const listing of store.list("", { before })) all.push(listing);
  return all;
}

/** Paths below a folder, of files only. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? join(entry.parentPath, entry.name) : []));
}

test("a blob is one file, which begins with its bytes", async () => {
  const path = temporaryFolder();
  await put(diskBlobs({ path }), "01J-Report_x", Buffer.from("a,b\n1,2\n"), "text/csv");
  const [file = "", ...others] = filesIn(path);
  expect(others).toEqual([]);
  expect(file).toMatch(/\/[0-9a-f]{2}\/[0-9a-f]+-01J-Report_x$/);
  expect(readFileSync(file, "utf8")).toMatch(/^a,b\n1,2\n\{"size":8,"contentType":"text\/csv","etag":"[\w-]{22}"\}00000000\d\d restwright blob 1\n$/);
});

test("no two keys are one file where the case of names does not count, and none is a device of Windows", async () => {
  const path = temporaryFolder();
  const store = diskBlobs({ path });
  for (const key of ["con", "Con", "cON", "CON"]) await put(store, key, Buffer.from(key));
  const names = filesIn(path).map((file) => basename(file).toLowerCase());
  expect(names.toSorted()).toEqual(["0-con", "3-con", "4-con", "7-con"]);
});

test("the thread hashes a blob that is followed, before and after its commit", async () => {
  const blobs = diskBlobs({ path: temporaryFolder() });
  const bytes = randomBytes(20_000_000);
  for (const waits of [true, false]) {
    const writer = await blobs.open(`followed-${waits}`);
    writer.follow?.();
    for (let at = 0; at < bytes.length; at += 65_536) await writer.write(bytes.subarray(at, at + 65_536));
    const hashing = writer.sha256?.();
    if (waits) await hashing;
    expect(await writer.commit()).toMatchObject({ size: bytes.length });
    expect(await hashing).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
});

test("bytes that look like the end of a blob are bytes", async () => {
  const path = temporaryFolder();
  const store = diskBlobs({ path });
  await put(store, "inner", Buffer.from("inner"), "text/plain");
  const file = readFileSync(filesIn(path)[0] ?? "");
  await put(store, "outer", file);
  expect(await bytesOf(store, "outer")).toEqual(file);
  expect((await store.stat("outer"))?.contentType).toBeUndefined();
});

test("the folder is made when it is needed, with all above it", async () => {
  const path = join(temporaryFolder(), "not", "there", "yet");
  const store = diskBlobs({ path });
  expect([await store.stat("a"), await store.read("a"), await store.delete("a"), await listed(store)]).toEqual([undefined, undefined, false, []]);
  await put(store, "a", Buffer.from("a"));
  expect(await bytesOf(diskBlobs({ path }), "a")).toEqual(Buffer.from("a"));
});

test("files that are none of ours are neither listed nor touched", async () => {
  const path = temporaryFolder();
  const store = diskBlobs({ path });
  await put(store, "mine", Buffer.from("x"));
  const [file = ""] = filesIn(path);
  mkdirSync(join(path, "lost+found"));
  writeFileSync(join(path, "lost+found", "0-mine"), "x");
  const strangers = [`${file}.bak`, `${file}.0123.part`, file.replace("0-mine", "1-mine"), file.replace("0-mine", ".DS_Store")];
  for (const stranger of strangers) writeFileSync(stranger, "x");
  expect((await listed(store)).map(({ key }) => key)).toEqual(["mine"]);
  await store.delete("mine");
  expect(filesIn(path).length).toBe(strangers.length + 1);
});

describe("a file that was damaged", () => {
  const damages: Readonly<Record<string, (file: string) => void>> = {
    "is cut off": (file) => truncateSync(file, 50_000),
    "is empty": (file) => truncateSync(file, 0),
    "has grown": (file) => appendFileSync(file, "more"),
    "has lost bytes in the middle": (file) => writeFileSync(file, readFileSync(file).subarray(1)),
    "has lost what is said of it": (file) => writeFileSync(file, readFileSync(file, "latin1").replace('{"size"', '["size"'), "latin1"),
  };

  test.each(Object.entries(damages))("and %s is no blob: it is said, it is listed as incomplete, and it can be deleted", async (_name, damage) => {
    const path = temporaryFolder();
    const store = diskBlobs({ path });
    await put(store, "report", Buffer.alloc(100_000, "x"));
    damage(filesIn(path)[0] ?? "");
    await expect(store.stat("report")).rejects.toThrow(
      new Unavailable('The file of the blob "report" is damaged. Restore it from a backup, or delete the blob.'),
    );
    await expect(store.read("report")).rejects.toThrow(Unavailable);
    expect(await listed(store)).toMatchObject([{ key: "report", complete: false }]);
    expect(await store.delete("report")).toBe(true);
    expect(await store.stat("report")).toBeUndefined();
  });

  test("while it is read ends the reading with an error", async () => {
    const path = temporaryFolder();
    const store = diskBlobs({ path });
    await put(store, "report", Buffer.alloc(500_000, "x"));
    const reading = async () => {
      for await (const chunk of (await store.read("report")) ?? []) if (chunk.length > 0) truncateSync(filesIn(path)[0] ?? "", 70_000);
    };
    await expect(reading()).rejects.toThrow(new Unavailable('The file of the blob "report" was cut off while it was read.'));
  });
});

test("who is reading a blob that is deleted or overwritten reads on to its end", async () => {
  const store = diskBlobs({ path: temporaryFolder() });
  for (const change of [() => store.delete("a"), () => put(store, "a", Buffer.from("other"))]) {
    await put(store, "a", Buffer.alloc(500_000, "x"));
    let length = 0;
    for await (const chunk of (await store.read("a")) ?? []) {
      if (length === 0) await change();
      length += chunk.length;
    }
    expect(length).toBe(500_000);
  }
});

test(
  "nothing stays open: not by readers who go early or never come, nor by writers, whatever becomes of them",
  onlyIf(process.platform === "linux", "only on Linux"),
  async () => {
    const path = temporaryFolder();
    const store = diskBlobs({ path });
    const open = () => readdirSync("/proc/self/fd").filter((name) => opened(name).startsWith(path)).length;
    await put(store, "a", Buffer.alloc(500_000));
    for await (const chunk of (await store.read("a")) ?? []) {
      expect([chunk.length, open()]).toEqual([65_536, 1]);
      break;
    }
    await store.read("a");
    await expect(async () => {
      for await (const _ of (await store.read("a")) ?? []) throw new Error("The reader failed.");
    }).rejects.toThrow("The reader failed.");
    await bytesOf(store, "a");
    const writers = await Promise.all(["b", "c", "d"].map((key) => store.open(key)));
    expect(open()).toBe(3);
    await writers[0]?.abort();
    await writers[1]?.commit();
    await store.delete("d");
    await expect(writers[2]?.commit()).rejects.toThrow(Unavailable);
    expect(open()).toBe(0);
  },
);

function opened(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}

test("a disk that cannot answer is Unavailable, with the cause and what to do", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  const store = diskBlobs({ path: join(file, "blobs") });
  const calls = [
    () => store.open("a"),
    () => store.stat("a"),
    () => store.read("a"),
    () => store.delete("a"),
    () => listed(store),
    async () => store.ping?.(),
  ];
  for (const call of calls) {
    const error: unknown = await call().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Unavailable);
    expect(error).toMatchObject({
      message: "The disk cannot answer: a part of the path is not a folder. Name another path.",
      cause: { code: "ENOTDIR" },
    });
  }
});

test("a write that the disk does not take leaves no part of the blob behind", onlyIf(process.platform !== "win32", "not on Windows"), async () => {
  const path = temporaryFolder();
  const script = fileURLToPath(new URL("blobsBeyondLimit.ts", import.meta.url));
  const run = ["-c", 'ulimit -f 4096 && exec "$0" "$@"', process.execPath, "--import", "tsx", script];
  const { stdout } = await promisify(execFile)("sh", run, { env: { ...process.env, BLOBS_PATH: path } });
  const refused = "The disk cannot answer: a file has become larger than it or this process allows. Allow more.";
  expect(JSON.parse(stdout)).toEqual({ refused: [refused, refused], left: [] });
  expect(filesIn(path)).toEqual([]);
});

test("ping answers where blobs can be written", async () => {
  const path = join(temporaryFolder(), "blobs");
  await expect(diskBlobs({ path }).ping?.()).resolves.toBeUndefined();
  expect(filesIn(path)).toEqual([]);
});

test("a process that is killed while it commits loses nothing that it committed, and leaves no blob that is not whole", async () => {
  const path = temporaryFolder();
  const writer = await startBlobWriter({ path });
  while (writer.keys.length < 20) await new Promise((resolve) => setTimeout(resolve, 5));
  await writer.kill();
  const store = diskBlobs({ path });
  const all = await listed(store);
  const whole = all.filter(({ complete }) => complete).map(({ key }) => key);
  expect(new Set(whole)).toEqual(new Set([...writer.keys, ...whole]));
  expect(whole.length - writer.keys.length).toBeLessThanOrEqual(1);
  for (const key of whole) {
    const number = Number(key.slice("blob-".length));
    expect(await store.stat(key)).toMatchObject({ size: 250_000, contentType: `text/${number}` });
    expect((await bytesOf(store, key)).equals(Buffer.alloc(250_000, number))).toBe(true);
  }
  for (const { key } of all) await store.delete(key);
  expect(filesIn(path)).toEqual([]);
});
