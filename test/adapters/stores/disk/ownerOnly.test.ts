import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diskBlobs } from "restwright/disk";
import { sqliteStorage } from "restwright/sqlite";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { BlobStore } from "../../../../src/ground/storage/files/blobs.js";
import { eventually } from "../../../tools/eventually.js";
import { temporaryFolder } from "../../../tools/temporary.js";

let umask = 0;
beforeEach(() => {
  umask = process.umask(0);
});
afterEach(() => process.umask(umask));

/** Permissions of all below a folder, by their paths in it. */
function modesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return Object.fromEntries(names.map((name) => [name, modeOf(join(folder, name))]));
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

async function put(blobs: BlobStore, key: string): Promise<void> {
  const writer = await blobs.open(key);
  await writer.write(Buffer.from("secret"));
  await writer.commit();
}

describe("a database of SQLite, whatever the umask,", () => {
  const open = async (path: string) => {
    const storage = sqliteStorage({ path });
    await storage.migrate?.([]);
    return storage;
  };

  test("is its owner's alone, with its log and its index", async () => {
    const folder = temporaryFolder();
    const storage = await open(join(folder, "data.db"));
    expect(modesIn(folder)).toEqual({ "data.db": "600", "data.db-shm": "600", "data.db-wal": "600" });
    await storage.close?.();
  });

  test("that everybody could read is closed when it is opened, also beside a process that has it open", async () => {
    const folder = temporaryFolder();
    const first = await open(join(folder, "data.db"));
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o666);
    const second = await open(join(folder, "data.db"));
    expect(modesIn(folder)).toEqual({ "data.db": "600", "data.db-shm": "600", "data.db-wal": "600" });
    await first.close?.();
    await second.close?.();
  });

  test("of zero bytes is a warning, and works", async () => {
    const path = join(temporaryFolder(), "data.db");
    writeFileSync(path, "");
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    try {
      const storage = await open(path);
      expect(warn.mock.calls).toEqual([[expect.stringContaining(`"${path}" is an empty file`), { code: "RESTWRIGHT_EMPTY_DATABASE" }]]);
      await storage.close?.();
      await (await open(path)).close?.();
      expect(warn.mock.calls.length).toBe(1);
    } finally {
      warn.mockRestore();
    }
  });
});

describe("blobs on disk, whatever the umask,", () => {
  test("are their owner's alone, with all folders that were made for them", async () => {
    const folder = temporaryFolder();
    const blobs = diskBlobs({ path: join(folder, "data", "blobs") });
    await put(blobs, "a");
    await blobs.drafts?.begin("b");
    const modes = Object.entries(modesIn(folder));
    expect(modes.length).toBe(6);
    for (const [name, mode] of modes) expect([name, mode]).toEqual([name, /\./.test(name) || /-a$/.test(name) ? "600" : "700"]);
  });

  test("of an earlier version are closed when the store is opened, and a folder of others is not", async () => {
    const root = temporaryFolder();
    await put(diskBlobs({ path: root }), "a");
    const [name = ""] = readdirSync(root);
    const [file = ""] = readdirSync(join(root, name));
    const opened = () => {
      chmodSync(root, 0o755);
      chmodSync(join(root, name), 0o755);
      chmodSync(join(root, name, file), 0o644);
    };
    opened();
    diskBlobs({ path: root });
    expect([modeOf(root), modeOf(join(root, name))]).toEqual(["700", "700"]);
    await eventually(() => expect(modeOf(join(root, name, file))).toBe("600"));
    opened();
    mkdirSync(join(root, "lost+found"));
    chmodSync(join(root, "lost+found"), 0o755);
    diskBlobs({ path: root });
    expect([modeOf(root), modeOf(join(root, name)), modeOf(join(root, "lost+found"))]).toEqual(["755", "700", "755"]);
  });
});
