import { defineResource, type Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { expect, test } from "vitest";
import { z } from "zod";
import { importService, importSide, ndjson } from "./importStage.js";

/** Imports rows as a job, with a hook that takes so long for each. @returns how many rows each transaction had */
async function slicesOf(rows: number, hookMs: number): Promise<readonly number[]> {
  const slices: number[] = [];
  let nowMs = Date.UTC(2026, 0, 1);
  const items = defineResource("items", {
    schema: z.object({ id: z.int(), text: z.string() }),
    generated: { id: "increment" },
    hooks: {
      afterWrite: () => {
        slices.push((slices.pop() ?? 0) + 1);
        nowMs += hookMs;
      },
    },
  });
  const memory = memoryStorage();
  const storage: Storage = {
    ...memory,
    transaction: (run, options) => {
      slices.push(0);
      return (memory.transaction as NonNullable<Storage["transaction"]>)(run, options);
    },
  };
  const service = importService(storage, { resources: [items], clock: { now: () => nowMs } });
  await service.start();
  const side = importSide(service, storage);
  const file = ndjson(...Array.from({ length: rows }, () => ({ text: "x".repeat(300) })));
  expect(await side.outcomeLater("collection=items", file)).toMatchObject({ counts: [rows, 0, 0, 0] });
  await service.close();
  return slices.filter((size) => size > 0);
}

test("an import whose hooks are slow commits as many rows at a time as take 50 ms, so that others wait for a short transaction", async () => {
  const slices = await slicesOf(950, 2);
  expect(slices[0]).toBe(50);
  // The rows of the first piece of the file are in chunks before the first of these is written.
  expect(new Set(slices.slice(6, -1))).toEqual(new Set([25]));
});

test("an import whose hooks take very long commits twenty rows at a time", async () => {
  expect(new Set((await slicesOf(950, 1_000)).slice(6, -1))).toEqual(new Set([20]));
});

test("an import whose hooks are quick commits more rows at a time, at most a thousand", async () => {
  const slices = await slicesOf(8_000, 0);
  expect(slices[0]).toBe(50);
  expect(Math.max(...slices)).toBe(1_000);
});
