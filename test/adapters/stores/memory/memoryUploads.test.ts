import { memoryStorage } from "restwright/memory";
import { faultyStorage, ProcessDied } from "restwright/testing";
import { describe, expect, test } from "vitest";
import type { NewUpload, UploadStore } from "../../../../src/ground/storage/files/uploads.js";
import type { Storage } from "../../../../src/ground/storage/storage.js";

const upload = (id: string): NewUpload => ({
  ...{ id, tenant: "t", owner: "ada", account: "ada" },
  isOpen: true,
  bytes: 5,
  dueAt: undefined,
  data: 1,
});

function uploadsOf({ uploads }: Storage): UploadStore {
  return uploads ?? expect.fail("The storage has no store of uploads.");
}

describe("the memory store's uploads", () => {
  test("cannot be written to in a transaction that only reads, though they can be read", async () => {
    const storage = memoryStorage();
    await uploadsOf(storage).create(upload("a"));
    const reading = storage.transaction?.(
      async (tx) => {
        expect((await uploadsOf(tx).get("a"))?.bytes).toBe(5);
        return uploadsOf(tx).update("a", 1, { bytes: 6 });
      },
      { readOnly: true },
    );
    await expect(reading).rejects.toThrow("read-only");
    expect(await uploadsOf(storage).use("t", "ada")).toEqual({ open: 1, bytes: 5 });
  });

  test("are read while a transaction is open, as they were before it", async () => {
    const storage = memoryStorage();
    await storage.transaction?.(async (tx) => {
      await uploadsOf(tx).create(upload("a"));
      expect(await uploadsOf(storage).get("a")).toBeUndefined();
      expect(await uploadsOf(storage).use("t", "ada")).toEqual({ open: 0, bytes: 0 });
    });
    expect(await uploadsOf(storage).use("t", "ada")).toEqual({ open: 1, bytes: 5 });
  });

  test("count as calls of a process that dies", async () => {
    const storage = memoryStorage();
    const dying = faultyStorage(storage, { dieAfter: 2, how: "after" });
    expect((await uploadsOf(dying).create(upload("a"))).outcome).toBe("stored");
    await expect(uploadsOf(dying).update("a", 1, { data: 2 })).rejects.toThrow("The process died after its call 2, uploads.update.");
    expect((await uploadsOf(storage).get("a"))?.data).toBe(2);
    await expect(uploadsOf(dying).use("t", "ada")).rejects.toThrow(ProcessDied);
    expect(dying.calls).toBe(2);
  });

  test("of a transaction whose process dies leave nothing, sums included", async () => {
    for (const dieAfter of [2, 3]) {
      const storage = memoryStorage();
      const dying = faultyStorage(storage, { dieAfter, how: dieAfter === 2 ? "after" : "before" });
      await expect(dying.transaction?.((tx) => uploadsOf(tx).create(upload("a")))).rejects.toThrow(ProcessDied);
      expect(await uploadsOf(storage).use("t", "ada")).toEqual({ open: 0, bytes: 0 });
    }
  });
});
