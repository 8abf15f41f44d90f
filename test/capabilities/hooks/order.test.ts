import { type Capability, createService, defineResource, type Resource } from "restwright";
import { bearer } from "restwright/auth";
import { hooks } from "restwright/hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { Retryable } from "../../../src/ground/storage/errors.js";
import { clientOf } from "../../tools/client.js";
import { describeStores } from "../../tools/storage/batchStores.js";
import type { Told } from "./hookStage.js";

describeStores(
  "the order of a write",
  ({ open }) => {
    const log: string[] = [];
    const ids: string[] = [];
    const attempts: number[] = [];
    let failures = 0;
    let close: () => Promise<void>;
    let send: ReturnType<typeof clientOf>;
    /** Hears of rows as webhooks do. */
    const listening: Capability = {
      name: "listening",
      open: () => ({
        rowEvents: {
          concerns: (collection) => collection === "notes",
          async join(_tx, _collection, writes) {
            for (const { kind, row } of writes) log.push(`event of ${kind}, size ${row["size"]}`);
            if (failures-- > 0) throw new Retryable("Another transaction was in the way.");
          },
          observeCommit: () => () => void log.push("commit"),
        },
      }),
    };
    beforeAll(async () => {
      const { storage, end } = await open();
      const notes: Resource = defineResource("notes", {
        schema: z.object({ id: z.int(), size: z.int(), ownerId: z.string() }),
        generated: { id: "increment" },
        scope: ({ action, when }) => {
          log.push(`scope of ${action} ${when}`);
          return { ownerId: "ann" };
        },
        stamp: {
          ownerId: () => {
            log.push("stamp");
            return "ann";
          },
        },
        hooks: {
          beforeWrite: ((told: Told) => {
            log.push(`beforeWrite with ${told.next.ownerId}`);
            ids.push(told.operationId);
            attempts.push(told.attempt);
            return { size: told.next.size + 1, ...(told.next.size === 66 ? { ownerId: "bob" } : {}) };
          }) as never,
          afterWrite: (async ({ row, tx }: Told) => {
            log.push(`afterWrite, size ${row.size}`);
            tx.afterCommit(() => log.push("afterCommit"));
          }) as never,
        },
      });
      const auth = [bearer((token) => ({ id: token }))];
      const service = createService({ resources: [notes], storage, auth, logger: false, use: [hooks(), listening] });
      await service.start();
      send = clientOf(service);
      close = async () => {
        await service.close();
        await end();
      };
    });
    afterAll(() => close());

    const write = (method: string, target: string, body: unknown) =>
      send({
        method,
        target,
        body,
        headers: { authorization: "Bearer ann", "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" },
      });

    test("is scope, stamp, beforeWrite, write, afterWrite, event, commit, afterCommit", async () => {
      const { status, json } = await write("POST", "/notes", { size: 1 });
      expect([status, json.size]).toEqual([201, 2]);
      const first = log.indexOf("beforeWrite with ann");
      expect(log.slice(0, first).every((line) => line.startsWith("scope") || line === "stamp")).toBe(true);
      expect(log.slice(first)).toEqual(["beforeWrite with ann", "afterWrite, size 2", "event of create, size 2", "commit", "afterCommit"]);
    });

    test("runs again with the same ids if the transaction is retried, and afterCommit once", async () => {
      log.length = 0;
      ids.length = 0;
      attempts.length = 0;
      failures = 2;
      expect((await write("POST", "/notes", { size: 5 })).status).toBe(201);
      expect(log.filter((line) => line === "afterWrite, size 6")).toHaveLength(3);
      expect(log.filter((line) => line === "afterCommit")).toHaveLength(1);
      expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
      expect(attempts).toEqual([1, 2, 3]);
    });

    test("judges the row that a hook leaves by its scope", async () => {
      failures = 0;
      const { json } = await write("POST", "/notes", { size: 7 });
      log.length = 0;
      const moved = await write("PATCH", `/notes/${json.id}`, { size: 66 });
      expect([moved.status, moved.json.code]).toEqual([403, "OUT_OF_SCOPE"]);
      expect(log).toContain("afterWrite, size 67");
      expect(log.filter((line) => line.startsWith("event") || line === "afterCommit")).toEqual([]);
      expect((await write("GET", `/notes/${json.id}`, undefined)).json).toMatchObject({ size: 8, ownerId: "ann" });
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
