import { problem } from "restwright";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { type HookStage, hookStage, merge, type Told } from "./hookStage.js";

describeStores(
  "hooks of single writes",
  ({ open }) => {
    let stage: HookStage;
    let seen: Told[];
    beforeAll(async () => {
      stage = await hookStage(open);
    });
    beforeEach(() => {
      stage.forget();
      seen = [];
    });
    afterAll(() => stage.close());

    test("a hook before a create sets read-only fields, and sees values as the schema has them", async () => {
      stage.of.orders.beforeWrite = (told) => {
        seen.push(told);
        return { total: told.next.pieces * 5 };
      };
      stage.of.orders.afterWrite = (told) => void seen.push(told);
      const made = await stage.send("POST", "/orders", { sku: "a", pieces: 3, madeAt: "2026-01-01T00:00:00Z" });
      expect(made.json).toMatchObject({ sku: "a", pieces: 3, total: 15 });
      const [before, after] = seen as [Told, Told];
      expect(before).toMatchObject({ kind: "create", before: undefined, way: "http" });
      expect(before.next).toEqual({ sku: "a", pieces: 3, madeAt: new Date("2026-01-01T00:00:00Z") });
      expect(before.changes).toEqual({ sku: "a", pieces: 3, madeAt: new Date("2026-01-01T00:00:00Z") });
      expect(Object.isFrozen(before.next)).toBe(true);
      expect(after.row).toEqual({ id: made.json.id, sku: "a", pieces: 3, total: 15, madeAt: new Date("2026-01-01T00:00:00Z") });
      expect(after.operationId).toBe(before.operationId);
    });

    test("a hook before an update gets the row before, the row after and what the client named", async () => {
      const id = await stage.order("b", { note: "x" });
      stage.of.orders.beforeWrite = (told) => void seen.push(told);
      const patched = await stage.send("PATCH", `/orders/${id}`, { pieces: 2, note: null }, merge);
      expect(patched.json).toMatchObject({ pieces: 2, note: null });
      expect(seen).toHaveLength(1);
      expect(seen[0]).toMatchObject({ kind: "update", before: { id, pieces: 1, note: "x" }, next: { id, pieces: 2, note: null } });
      expect(seen[0]?.changes).toEqual({ pieces: 2, note: null });
    });

    test("a replacement runs hooks as an update", async () => {
      const id = await stage.order("c");
      stage.of.orders.beforeWrite = ({ kind, next }) => ({ total: kind === "update" ? next.pieces : 0 });
      expect((await stage.send("PUT", `/orders/${id}`, { sku: "c", pieces: 7 })).json).toMatchObject({ pieces: 7, total: 7 });
    });

    test("a removal runs hooks with the last row, and cannot be changed", async () => {
      const id = await stage.order("d");
      stage.of.orders.beforeWrite = () => ({ total: 1 });
      expect((await stage.send("DELETE", `/orders/${id}`)).status).toBe(500);
      expect(String(stage.faults[0])).toContain('"beforeWrite" returned changes for a removal');
      stage.of.orders.beforeWrite = (told) => void seen.push(told);
      stage.of.orders.afterWrite = (told) => void seen.push(told);
      expect((await stage.send("DELETE", `/orders/${id}`)).status).toBe(204);
      expect(seen.map(({ kind, next, changes }) => ({ kind, next, changes }))).toEqual([
        { kind: "remove", next: undefined, changes: undefined },
        { kind: "remove", next: undefined, changes: undefined },
      ]);
      expect(seen[1]?.row).toEqual(seen[0]?.before);
    });

    test("a PATCH or PUT that changes nothing runs no hook", async () => {
      const id = await stage.order("e");
      stage.of.orders.beforeWrite = (told) => void seen.push(told);
      expect((await stage.send("PATCH", `/orders/${id}`, { pieces: 1 }, merge)).status).toBe(200);
      expect((await stage.send("PUT", `/orders/${id}`, { sku: "e", pieces: 1 })).status).toBe(200);
      expect(seen).toEqual([]);
    });

    test("a problem refuses the write, from either hook", async () => {
      const id = await stage.order("f");
      const refuse = () => {
        throw problem("ORDER_SHIPPED", 409, "Too late.");
      };
      for (const name of ["beforeWrite", "afterWrite"] as const) {
        stage.forget();
        stage.of.orders[name] = refuse;
        for (const [method, target, body] of [
          ["POST", "/orders", { sku: `new ${name}`, pieces: 1 }],
          ["PATCH", `/orders/${id}`, { pieces: 9 }],
          ["DELETE", `/orders/${id}`, undefined],
        ] as const) {
          const answer = await stage.send(method, target, body, method === "PATCH" ? merge : undefined);
          expect([name, method, answer.status, answer.json.code]).toEqual([name, method, 409, "ORDER_SHIPPED"]);
        }
      }
      stage.forget();
      expect((await stage.send("GET", `/orders/${id}`)).json).toMatchObject({ pieces: 1 });
      expect((await stage.send("GET", "/orders?sku=new beforeWrite,new afterWrite")).json.data).toEqual([]);
    });

    test("any other error is a 500, and nothing is written", async () => {
      stage.of.orders.afterWrite = () => {
        throw new TypeError("a fault of the developer");
      };
      expect((await stage.send("POST", "/orders", { sku: "g", pieces: 1 })).status).toBe(500);
      expect(stage.faults.map(String)).toEqual(["TypeError: a fault of the developer"]);
      expect((await stage.send("GET", "/orders?sku=g")).json.data).toEqual([]);
    });

    test.each([
      [{ totl: 1 }, 'returned "totl", which is not a field of the schema. Did you mean "total"?'],
      [{ id: 3 }, "the id of a row cannot be changed"],
      [{ _version: "x" }, 'returned "_version"'],
      [{ pieces: 0 }, '"pieces" that the schema refuses'],
      [{ pieces: null }, '"pieces" that the schema refuses'],
      [7, "must return a plain object"],
    ])("what a hook returns is checked: %j", async (result, message) => {
      stage.of.orders.beforeWrite = () => result;
      expect((await stage.send("POST", "/orders", { sku: "h", pieces: 1 })).status).toBe(500);
      expect(String(stage.faults[0])).toContain(message);
    });

    test("null and undefined clear a field that may be missing", async () => {
      const id = await stage.order("i", { note: "x", secret: "s" });
      stage.of.orders.beforeWrite = () => ({ note: null, secret: undefined });
      const { json } = await stage.send("PATCH", `/orders/${id}`, { pieces: 2 }, merge);
      expect(json).toMatchObject({ pieces: 2, note: null });
      expect(json).not.toHaveProperty("secret");
    });

    test("what a refused write has done in the transaction is rolled back", async () => {
      stage.of.orders.beforeWrite = async ({ tx }) => {
        await tx.of(stage.logs).create({ text: "refused" });
        throw problem("NO", 409, "No.");
      };
      expect((await stage.send("POST", "/orders", { sku: "j", pieces: 1 })).status).toBe(409);
      stage.of.orders.beforeWrite = async ({ tx }) => void (await tx.of(stage.logs).create({ text: "taken" }));
      await stage.order("k");
      expect((await stage.send("POST", "/orders", { sku: "k", pieces: 1 })).json.code).toBe("DUPLICATE_SKU");
      expect((await stage.send("GET", "/logs")).json.data.map(({ text }: { text: string }) => text)).toEqual(["taken"]);
    });

    test("a row that the hook after its write changes has the ETag of its last state", async () => {
      stage.of.orders.afterWrite = async ({ kind, row, tx }) => {
        if (kind === "create") await tx.of(stage.orders).update(row.id, { note: "from the hook" });
      };
      const made = await stage.send("POST", "/orders", { sku: "l", pieces: 1 });
      expect(made.json.note).toBe("from the hook");
      const etag = String(made.headers["etag"]);
      expect((await stage.send("PATCH", `/orders/${made.json.id}`, { pieces: 2 }, { ...merge, "if-match": etag })).status).toBe(200);
    });

    test("a hook must not write the row that it is called for before its write", async () => {
      const id = await stage.order("m");
      let depth = 0;
      stage.of.orders.beforeWrite = async ({ tx }) => {
        depth += 1;
        if (depth === 1) await tx.of(stage.orders).update(id, { note: "x" });
      };
      expect((await stage.send("PATCH", `/orders/${id}`, { pieces: 2 }, merge)).status).toBe(500);
      expect(String(stage.faults[0])).toContain("return the changes instead");
    });

    test("hooks that write each other's rows end eight deep", async () => {
      stage.of.orders.afterWrite = async ({ tx, row }) => void (await tx.of(stage.stock).replace("s", { left: (row.total ?? 0) + row.pieces }));
      let sum = 0;
      stage.of.stock.afterWrite = async ({ tx }) => void (await tx.of(stage.orders).create({ sku: `s${sum++}`, pieces: sum + 1 }));
      expect((await stage.send("POST", "/orders", { sku: "n", pieces: 1 })).status).toBe(500);
      expect(String(stage.faults[0])).toContain("more than 8 deep: orders, stock, orders, stock");
      expect((await stage.send("GET", "/orders?sku=n")).json.data).toEqual([]);
    });

    test("nested writes run their hooks, with ids that are derived from the outer one", async () => {
      stage.of.orders.afterWrite = async (told) => {
        seen.push(told);
        await told.tx.of(stage.stock).create({ id: "x1", left: 1 });
        await told.tx.of(stage.stock).update("x1", { left: 2 });
      };
      stage.of.stock.beforeWrite = (told) => void seen.push(told);
      await stage.order("o");
      const [outer, first, second] = seen as [Told, Told, Told];
      expect([first.operationId, second.operationId]).toEqual([
        `${outer.operationId}:afterWrite:1:stock`,
        `${outer.operationId}:afterWrite:2:stock/x1`,
      ]);
      expect(first.way).toBe("code");
      expect(first.principal).toBeUndefined();
    });

    test("calls from code run hooks; the system has no principal", async () => {
      stage.of.orders.beforeWrite = (told) => {
        seen.push(told);
        return { total: 4 };
      };
      const row = (await stage.system.of(stage.orders).create({ sku: "p", pieces: 1 }, { operationId: "my id" })) as { total: number };
      expect(row.total).toBe(4);
      expect(seen[0]).toMatchObject({ way: "code", principal: undefined, operationId: "my id" });
    });

    test("functions of afterCommit run once, and never after a rollback", async () => {
      const done: string[] = [];
      stage.of.orders.afterWrite = ({ tx, row }) => {
        tx.afterCommit(() => done.push(row.sku));
        if (row.sku === "r") throw problem("NO", 409, "No.");
      };
      await stage.order("q");
      await stage.send("POST", "/orders", { sku: "r", pieces: 1 });
      expect(done).toEqual(["q"]);
    });

    test("an Idempotency-Key replays without running hooks again", async () => {
      if (stage.storage.idempotency === undefined) return;
      stage.of.orders.beforeWrite = (told) => void seen.push(told);
      const key = { "idempotency-key": "one-of-the-hooks-1" };
      const first = await stage.send("POST", "/orders", { sku: "t", pieces: 1 }, key);
      const second = await stage.send("POST", "/orders", { sku: "t", pieces: 1 }, key);
      expect([first.status, second.status, first.text === second.text]).toEqual([201, 201, true]);
      expect(seen).toHaveLength(1);
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
