import { createService, defineResource, extend } from "restwright";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { describeStores } from "../../tools/storage/batchStores.js";

const base = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string(), ownerId: z.string(), isSecret: z.boolean().default(false) }),
  generated: { id: "increment" },
  scope: ({ principal, action }) => (action === "read" ? { ownerId: principal.id, isSecret: false } : { ownerId: principal.id }),
});

describeStores(
  "scopes and hooks after a slice",
  ({ open }) => {
    let close: () => Promise<void>;
    let send: (method: string, target: string, body?: unknown) => ReturnType<ReturnType<typeof clientOf>>;
    beforeAll(async () => {
      const { storage, end } = await open();
      const notes = extend(base, {
        hooks: {
          async afterWrites({ writes, tx }) {
            for (const { kind, row } of writes) {
              if (kind !== "update") continue;
              if (row.text === "give away") await tx.of(base).update(row.id, { ownerId: "bob", text: "given" });
              if (row.text === "keep") await tx.of(base).update(row.id, { ownerId: "ann", text: "kept" });
              if (row.text === "hide") await tx.of(base).update(row.id, { isSecret: true, text: "hidden" });
            }
          },
        },
      });
      const service = createService({
        resources: [notes],
        storage,
        auth: [bearer((token) => ({ id: token }))],
        logger: false,
        use: [hooks(), batch()],
      });
      await service.start();
      const client = clientOf(service);
      send = (method, target, body) => client({ method, target, body, headers: { authorization: "Bearer ann" } });
      close = async () => {
        await service.close();
        await end();
      };
    });
    afterAll(() => close());

    const make = async (count: number): Promise<readonly number[]> => {
      const items = Array.from({ length: count }, () => ({ text: "new", ownerId: "ann" }));
      const { json } = await send("POST", "/notes/batch", { items });
      return json.results.map(({ id }: { id: number }) => id);
    };
    const change = async (ids: readonly number[], changes: readonly object[]) => {
      const { json } = await send("PATCH", "/notes/batch", { items: ids.map((id, index) => ({ id, changes: changes[index] })) });
      return json.results;
    };

    test("a row that the hook moves out of the scope is refused, and the others are written", async () => {
      const ids = await make(3);
      const results = await change(ids, [{ text: "a" }, { text: "give away" }, { text: "c" }]);
      expect(results.map(({ status, error }: never) => [status, (error as { code: string } | undefined)?.code])).toEqual([
        [200, undefined],
        [403, "OUT_OF_SCOPE"],
        [200, undefined],
      ]);
      const { json } = await send("GET", `/notes?id=${ids.join(",")}&sort=id`);
      expect(json.data.map(({ text }: { text: string }) => text)).toEqual(["a", "new", "c"]);
    });

    test("a row that only the hook brings back into the scope is written", async () => {
      const ids = await make(2);
      const results = await change(ids, [{ text: "keep", ownerId: "bob" }, { text: "b" }]);
      expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 200]);
      expect((await send("GET", `/notes/${ids[0]}`)).json).toMatchObject({ text: "kept", ownerId: "ann" });
    });

    test("a row that the hook hides from its writer is not shown", async () => {
      const ids = await make(2);
      const results = await change(ids, [{ text: "hide" }, { text: "b" }]);
      expect(results.map(({ status }: { status: number }) => status)).toEqual([200, 200]);
      expect(JSON.stringify(results)).not.toContain("hidden");
      expect((await send("GET", `/notes/${ids[0]}`)).status).toBe(404);
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
