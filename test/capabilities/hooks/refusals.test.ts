import { problem } from "restwright";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { csv, type HookStage, hookStage, merge, type Told } from "./hookStage.js";

/** What a way answers for one of its rows. */
interface Row {
  readonly status: number;
  readonly code?: string;
}

const rolledBack: Row = { status: 424, code: "ROLLED_BACK" };

describeStores(
  "hooks of all ways",
  ({ open }) => {
    let stage: HookStage;
    let seen: Told[];
    let number = 0;
    const sku = () => `sku${number++}`;
    beforeAll(async () => {
      stage = await hookStage(open);
    });
    beforeEach(() => {
      stage.forget();
      seen = [];
    });
    afterAll(() => stage.close());

    const stored = async (id: number) => (await stage.send("GET", `/orders/${id}`)).json;
    const rowsOf = (json: { results: { status: number; error?: { code: string } }[] }): Row[] =>
      json.results.map(({ status, error }) => (error === undefined ? { status } : { status, code: error.code }));
    /** Refuses rows with a note "no", before or after the write, with or without a use of the transaction. */
    const refusals = {
      before: (usesTx: boolean) => {
        stage.of.orders.beforeWrite = async ({ tx, next, before }) => {
          if (usesTx) await tx.of(stage.logs).create({ text: (next ?? before).note ?? "" });
          if ((next ?? before).note === "no") throw problem("NO", 409, "No.");
        };
      },
      after: (usesTx: boolean) => {
        stage.of.orders.afterWrite = async ({ tx, row }) => {
          if (usesTx) await tx.of(stage.logs).create({ text: row.note ?? "" });
          if (row.note === "no") throw problem("NO", 409, "No.");
        };
      },
    };
    const cases = (["before", "after"] as const).flatMap((when) => [false, true].map((usesTx) => ({ when, usesTx })));
    const clearLogs = async () => void (await stage.send("DELETE", "/logs?id[gt]=0&confirm=true"));
    const logged = async (): Promise<string[]> => (await stage.send("GET", "/logs?perPage=100")).json.data.map(({ text }: { text: string }) => text);

    test.each(cases)("a refused item of a batch fails alone: $when, uses the transaction: $usesTx", async ({ when, usesTx }) => {
      await clearLogs();
      refusals[when](usesTx);
      const made = await stage.send("POST", "/orders/batch", { items: ["a", "no", "b"].map((note) => ({ sku: sku(), pieces: 1, note })) });
      expect(rowsOf(made.json)).toEqual([{ status: 201 }, { status: 409, code: "NO" }, { status: 201 }]);
      if (usesTx) expect((await logged()).sort()).toEqual(["a", "b"]);
      const [first, , third] = made.json.results.map(({ id }: { id: number }) => id);
      await clearLogs();
      const changed = await stage.send("PATCH", "/orders/batch", {
        items: [
          { id: first, changes: { note: "no" } },
          { id: third, changes: { note: "c" } },
        ],
      });
      expect(rowsOf(changed.json)).toEqual([{ status: 409, code: "NO" }, { status: 200 }]);
      if (usesTx) expect(await logged()).toEqual(["c"]);
      expect([(await stored(first)).note, (await stored(third)).note]).toEqual(["a", "c"]);
    });

    test.each(cases)("a refused item of a strict batch refuses all: $when, uses the transaction: $usesTx", async ({ when, usesTx }) => {
      await clearLogs();
      refusals[when](usesTx);
      const skus = [sku(), sku(), sku()];
      const items = skus.map((each, index) => ({ sku: each, pieces: 1, note: index === 1 ? "no" : "a" }));
      const answer = await stage.send("POST", "/orders/batch", { items }, { prefer: "handling=strict" });
      expect([answer.status, rowsOf(answer.json)]).toEqual([422, [rolledBack, { status: 409, code: "NO" }, rolledBack]]);
      expect((await stage.send("GET", `/orders?sku=${skus.join(",")}`)).json.data).toEqual([]);
      expect(await logged()).toEqual([]);

      const made = await stage.send("POST", "/orders/batch", { items: skus.map((each) => ({ sku: each, pieces: 1, note: "a" })) });
      const ids: number[] = made.json.results.map(({ id }: { id: number }) => id);
      await clearLogs();
      const changes = ids.map((id, index) => ({ id, changes: { note: index === 2 ? "no" : "b" } }));
      const changed = await stage.send("PATCH", "/orders/batch", { items: changes }, { prefer: "handling=strict" });
      expect([changed.status, rowsOf(changed.json)]).toEqual([422, [rolledBack, rolledBack, { status: 409, code: "NO" }]]);
      stage.forget();
      await stage.send("PATCH", `/orders/${ids[0]}`, { note: "no" }, merge);
      refusals[when](usesTx);
      const removed = await stage.send("POST", "/orders/batch-delete", { ids }, { prefer: "handling=strict" });
      expect([removed.status, rowsOf(removed.json)]).toEqual([422, [{ status: 409, code: "NO" }, rolledBack, rolledBack]]);
      stage.forget();
      const notes = await Promise.all(ids.map(async (id) => (await stored(id)).note));
      expect([notes, await logged()]).toEqual([["no", "a", "a"], []]);
    });

    test.each(cases)("a refused row of an import fails alone: $when, uses the transaction: $usesTx", async ({ when, usesTx }) => {
      if (stage.storage.jobs === undefined) return;
      await clearLogs();
      refusals[when](usesTx);
      const skus = [sku(), sku(), sku()];
      const file = (notes: readonly string[]) => `sku,pieces,note\n${skus.map((each, index) => `${each},1,${notes[index]}\n`).join("")}`;
      const inserted = await stage.send("POST", "/orders/import", file(["a", "no", "b"]), csv);
      expect(inserted.json.result).toMatchObject({ created: 2, failed: 1 });
      if (usesTx) expect((await logged()).sort()).toEqual(["a", "b"]);
      await clearLogs();
      const updated = await stage.send("POST", "/orders/import?mode=upsert&key=sku", file(["no", "x", "c"]), csv);
      expect(updated.json.result).toMatchObject({ created: 1, updated: 1, failed: 1 });
      if (usesTx) expect((await logged()).sort()).toEqual(["c", "x"]);
      const rows = (await stage.send("GET", `/orders?sku=${skus.join(",")}&sort=id`)).json.data;
      expect(rows.map(({ note }: { note: string }) => note).sort()).toEqual(["a", "c", "x"]);
      const strict = await stage.send("POST", "/orders/import?mode=upsert&key=sku&onError=stop", file(["d", "no", "d"]), csv);
      expect([strict.status, strict.json.row, strict.json.errors[0].detail]).toEqual([422, 2, expect.stringContaining("No.")]);
      expect((await stage.send("GET", `/orders?sku=${skus.join(",")}&sort=id`)).json.data).toEqual(rows);
    });

    test("each way runs the hooks, once a row, and says which way it is", async () => {
      const told: string[] = [];
      stage.of.orders.beforeWrite = ({ kind, way, next }) => {
        told.push(`${way} ${kind}`);
        return kind === "remove" ? undefined : { total: next.pieces * 2 };
      };
      const take = () => told.splice(0);
      const id = await stage.order(sku());
      expect(take()).toEqual(["http create"]);
      const other = await stage.order(sku());
      take();
      await stage.send("PATCH", `/orders/${id}`, [{ op: "replace", path: "/pieces", value: 3 }], { "content-type": "application/json-patch+json" });
      expect([take(), (await stored(id)).total]).toEqual([["http update"], 6]);
      await stage.send("PATCH", "/orders/batch", { items: [id, other].map((each) => ({ id: each, changes: { pieces: 4 } })) });
      expect([take(), (await stored(id)).total, (await stored(other)).total]).toEqual([["batch update", "batch update"], 8, 8]);
      await stage.send("POST", `/orders/bulk-update?id=${id},${other}`, { pieces: 5 });
      expect([take(), (await stored(other)).total]).toEqual([["batch update", "batch update"], 10]);
      const operations = [
        { method: "POST", url: "/orders", body: { sku: sku(), pieces: 6 } },
        { method: "PATCH", url: `/orders/${id}`, body: { pieces: 6 } },
      ];
      for (const prefer of ["handling=lenient", "handling=strict"]) {
        await stage.send(
          "POST",
          "/batch",
          {
            operations: operations.map((each) =>
              each.method === "POST" ? { ...each, body: { ...each.body, sku: sku() } } : { ...each, body: { pieces: prefer.length } },
            ),
          },
          { prefer },
        );
        expect(take()).toEqual(["batch create", "batch update"]);
      }
      const key = sku();
      if (stage.storage.jobs !== undefined) {
        await stage.send("POST", "/orders/import", `sku,pieces\n${key},7\n`, csv);
        await stage.send("POST", "/orders/import?mode=upsert&key=sku", `sku,pieces\n${key},8\n${sku()},8\n`, csv);
        expect(take().sort()).toEqual(["import create", "import create", "import update"]);
        const asked = await stage.send("POST", "/orders/import?mode=update&key=sku", `sku,pieces\n${key},9\n`, { ...csv, prefer: "respond-async" });
        expect(asked.status).toBe(202);
        await expect.poll(() => take(), { timeout: 5_000 }).toEqual(["import update"]);
      }
      await stage.send("POST", "/orders/batch-delete", { ids: [other] });
      await stage.send("DELETE", `/orders?id=${id}&confirm=true`);
      expect(take()).toEqual(["batch remove", "batch remove"]);
    });

    test("ids of operations differ in a batch, and stay the same in each attempt", async () => {
      const ids: string[] = [];
      let attempt = 0;
      stage.of.orders.afterWrite = (told) => {
        seen.push(told);
        ids.push(told.operationId);
        if (attempt++ === 1) throw problem("ONCE", 409, "Only the first time.");
      };
      const made = await stage.send("POST", "/orders/batch", { items: [1, 2].map(() => ({ sku: sku(), pieces: 1 })) });
      expect(rowsOf(made.json)).toEqual([{ status: 201 }, { status: 201 }]);
      expect(ids).toHaveLength(4);
      expect(new Set(ids.slice(2)).size).toBe(2);
      const [id] = made.json.results.map((each: { id: number }) => each.id);
      ids.length = 0;
      await stage.send("PATCH", "/orders/batch", { items: [5, 6].map((pieces) => ({ id, changes: { pieces } })) });
      expect(new Set(ids).size).toBe(2);
    });

    test("the second item of the same row sees what the hook of the first one set", async () => {
      const id = await stage.order(sku());
      stage.of.orders.beforeWrite = ({ before, next }) => {
        seen.push({ before, next } as Told);
        return { total: (before?.total ?? 0) + 10 };
      };
      await stage.send("PATCH", "/orders/batch", { items: [5, 6].map((pieces) => ({ id, changes: { pieces } })) });
      expect(await stored(id)).toMatchObject({ pieces: 6, total: 20 });
      expect(seen[1]?.before).toMatchObject({ pieces: 5, total: 10 });
    });

    test("a fault of a hook ends an import, and is no refusal of the store", async () => {
      if (stage.storage.jobs === undefined) return;
      stage.of.orders.beforeWrite = () => {
        throw new TypeError("a fault of the developer");
      };
      const answer = await stage.send("POST", "/orders/import", `sku,pieces\n${sku()},1\n${sku()},1\n`, csv);
      expect(answer.status).toBe(500);
      expect(stage.faults.map(String)).toEqual(["TypeError: a fault of the developer"]);
    });

    test("a write whose row changed after a hook used the transaction begins again, without what the hook did", async () => {
      if (stage.storage.name === "memory") return;
      const ids = [await stage.order(sku()), await stage.order(sku())];
      for (const send of [
        () => stage.send("PATCH", `/orders/${ids[0]}`, { pieces: 2 }, merge),
        () => stage.send("PATCH", "/orders/batch", { items: ids.map((id) => ({ id, changes: { pieces: 3 } })) }),
        () => stage.send("PATCH", "/orders/batch", { items: ids.map((id) => ({ id, changes: { pieces: 4 } })) }, { prefer: "handling=strict" }),
        async () => stage.send("POST", "/orders/import?mode=update&key=sku", `sku,pieces\n${(await stored(ids[0] as number)).sku},5\n`, csv),
      ]) {
        if (stage.storage.jobs === undefined) return;
        await clearLogs();
        let attempts = 0;
        stage.of.orders.beforeWrite = async ({ tx, before }) => {
          attempts += 1;
          await tx.of(stage.logs).create({ text: `attempt ${attempts}` });
          if (attempts === 1) await tx.sql(`update "orders" set "_version" = 'another' where "id" = ${before.id}`);
        };
        const answer = await send();
        expect([answer.status, answer.text]).toEqual([200, expect.not.stringContaining('error"')]);
        expect(await logged()).not.toContain("attempt 1");
        expect((await logged()).length).toBeGreaterThan(0);
      }
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
