import { belongsTo, type Capability, createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { describeStores } from "../../../tools/storage/batchStores.js";

describeStores(
  "rows that go with another row of their batch",
  ({ open }) => {
    test("cause one event each, and run their hooks once", async () => {
      const { storage, end } = await open();
      const log: string[] = [];
      const folders = defineResource("folders", {
        schema: z.object({ id: z.string(), parentId: z.string().nullable().default(null) }),
        relations: { parent: belongsTo("folders", "parentId", { onDelete: "cascade" }) },
        hooks: { afterWrite: ({ kind, row }) => void (kind === "remove" && log.push(`hook of ${row.id}`)) },
      });
      const listening: Capability = {
        name: "listening",
        open: () => ({
          rowEvents: {
            concerns: () => true,
            join: async (_tx, _collection, writes) => {
              for (const { kind, row } of writes) if (kind === "remove") log.push(`event of ${row["id"]}`);
            },
          },
        }),
      };
      const service = createService({ resources: [folders], storage, logger: false, use: [batch(), hooks(), listening] });
      await service.start();
      const send = clientOf(service);
      const headers = { "content-type": "application/json" };
      for (const [id, parentId] of [
        ["root", null],
        ["leaf", "root"],
        ["other", null],
      ] as const)
        expect((await send({ method: "POST", target: "/folders", headers, body: { id, parentId } })).status).toBe(201);
      const { status, json } = await send({
        method: "POST",
        target: "/folders/batch-delete",
        headers,
        body: { items: [{ id: "root" }, { id: "leaf" }, { id: "other" }] },
      });
      expect([status, json.results.map((result: { readonly status: number }) => result.status)]).toEqual([200, [204, 204, 204]]);
      expect(log).toEqual(["hook of leaf", "event of leaf", "hook of root", "event of root", "hook of other", "event of other"]);
      await service.close();
      await end();
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
