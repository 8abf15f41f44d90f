import { createService, defineResource, problem, type Resource } from "restwright";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";
import type { ToldSlice } from "./hookStage.js";

/** Items whose hooks take slices. */
async function sliceStage({ storage, end }: OpenedStore) {
  const calls: [string, number[]][] = [];
  const set: { before?: ((slice: ToldSlice) => unknown) | undefined; after?: ((slice: ToldSlice) => unknown) | undefined } = {};
  const items: Resource = defineResource("items", {
    schema: z.object({ id: z.int(), size: z.int(), double: z.int().optional() }),
    generated: { id: "increment" },
    hooks: {
      beforeWrites: ((slice: ToldSlice) => {
        calls.push([slice.writes[0]?.kind ?? "", slice.writes.map(({ next, before }) => (next ?? before).size)]);
        return set.before === undefined ? slice.writes.map(({ next }) => next && { double: next.size * 2 }) : set.before(slice);
      }) as never,
      afterWrites: ((slice: ToldSlice) => {
        calls.push([`${slice.writes[0]?.kind} done`, slice.writes.map(({ row }) => row.double)]);
        return set.after?.(slice);
      }) as never,
    },
  });
  const faults: unknown[] = [];
  const service = createService({ resources: [items], storage, logger: false, use: [hooks(), batch()], onError: (error) => void faults.push(error) });
  await service.start();
  const client = clientOf(service);
  return {
    items,
    calls,
    set,
    faults,
    send: (method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>) => client({ method, target, body, headers }),
    close: async () => {
      await service.close();
      await end();
    },
  };
}

describeStores(
  "hooks of slices",
  ({ open }) => {
    let stage: Awaited<ReturnType<typeof sliceStage>>;
    beforeAll(async () => {
      stage = await sliceStage(await open());
    });
    beforeEach(() => {
      stage.calls.length = 0;
      stage.faults.length = 0;
      stage.set.before = undefined;
      stage.set.after = undefined;
    });
    afterAll(() => stage.close());

    const make = async (sizes: readonly number[]): Promise<number[]> => {
      const { json } = await stage.send("POST", "/items/batch", { items: sizes.map((size) => ({ size })) });
      return json.results.map(({ id }: { id: number }) => id);
    };
    const rows = async (ids: readonly number[]) => (await stage.send("GET", `/items?id=${ids.join(",")}&sort=id`)).json.data;

    test("a batch asks once for all of its rows, and a single write is a slice of one", async () => {
      const ids = await make([1, 2, 3]);
      expect(stage.calls.splice(0)).toEqual([
        ["create", [1, 2, 3]],
        ["create done", [2, 4, 6]],
      ]);
      await stage.send("PATCH", `/items/${ids[0]}`, { size: 5 }, { "content-type": "application/merge-patch+json" });
      expect(stage.calls.splice(0)).toEqual([
        ["update", [5]],
        ["update done", [10]],
      ]);
      await stage.send("PATCH", "/items/batch", { items: ids.map((id, index) => ({ id, changes: { size: 7 + index } })) });
      expect(stage.calls.splice(0)).toEqual([
        ["update", [7, 8, 9]],
        ["update done", [14, 16, 18]],
      ]);
      expect((await rows(ids)).map(({ double }: { double: number }) => double)).toEqual([14, 16, 18]);
      await stage.send("POST", "/items/batch-delete", { ids });
      expect(stage.calls).toEqual([
        ["remove", [7, 8, 9]],
        ["remove done", [14, 16, 18]],
      ]);
    });

    test("a refused slice is written row by row, so that one row fails", async () => {
      stage.set.before = ({ writes }) => {
        if (writes.some(({ next }) => next.size === 2)) throw problem("NO", 409, "No.");
        return writes.map(() => undefined);
      };
      const { json } = await stage.send("POST", "/items/batch", { items: [1, 2, 3].map((size) => ({ size })) });
      expect(json.results.map(({ status }: { status: number }) => status)).toEqual([201, 409, 201]);
      stage.set.before = undefined;
      const ids = await make([1, 2, 3]);
      stage.set.after = ({ writes }) => {
        if (writes.some(({ row }) => row.size === 12)) throw problem("NO", 409, "No.");
      };
      const changed = await stage.send("PATCH", "/items/batch", { items: ids.map((id, index) => ({ id, changes: { size: 11 + index } })) });
      expect(changed.json.results.map(({ status }: { status: number }) => status)).toEqual([200, 409, 200]);
      expect((await rows(ids)).map(({ size }: { size: number }) => size)).toEqual([11, 2, 13]);
    });

    test("the answer has the rows as the hook after the slice leaves them", async () => {
      const ids = await make([1, 2]);
      stage.set.after = async ({ writes, tx }) => {
        if (writes.length > 1) for (const { row } of writes) await tx.of(stage.items).update(row.id, { size: row.size + 100 });
      };
      const { json } = await stage.send("PATCH", "/items/batch", { items: ids.map((id) => ({ id, changes: { size: 5 } })) });
      expect(json.results.map(({ status }: { status: number }) => status)).toEqual([200, 200]);
      expect((await rows(ids)).map(({ size }: { size: number }) => size)).toEqual([105, 105]);
      const [row] = await rows(ids);
      const etag = json.results[0].etag as string | undefined;
      if (etag !== undefined) {
        const again = await stage.send(
          "PATCH",
          `/items/${row.id}`,
          { size: 1 },
          { "content-type": "application/merge-patch+json", "if-match": etag },
        );
        expect(again.status).toBe(200);
      }
    });

    test("a hook of slices must answer one entry for each write", async () => {
      stage.set.before = () => [];
      expect((await stage.send("POST", "/items", { size: 1 })).status).toBe(500);
      expect(String(stage.faults[0])).toContain("one entry for each of the 1 writes");
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
