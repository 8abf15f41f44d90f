// @long

import { createService, type Resource, Retryable, type Storage, Unavailable } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { jobs } from "restwright/jobs";
import { memoryBlobs } from "restwright/memory";
import { transfer } from "restwright/transfer";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, type Received, type Sent } from "../../tools/client.js";
import { describeStores, type OpenedStore } from "../../tools/storage/batchStores.js";
import { type Given, type Tools, withActions } from "../actions/stage.js";
import { endedJob, jobOf } from "../batch/batchJobStage.js";
import type { Told } from "./hookStage.js";

/** What a hook of an order, or of what it writes itself, was called for. */
interface Call {
  readonly of: string;
  readonly operationId: string;
}

/** Orders whose hooks write stock, and actions that write orders; `after` is what a test does at the end of each write of an order. */
function ordersWith(calls: Call[], after: (told: Told) => unknown, validate: (sku: string) => Promise<boolean>): readonly Resource[] {
  const orders = withActions("orders", {
    schema: z.object({ id: z.string().regex(/^(?:order-)?\w$/), sku: z.string().refine(validate), total: z.int() }),
    hooks: {
      beforeWrite: async ({ before, next, operationId, tx }: Given) => {
        const { sku } = next ?? before;
        calls.push({ of: sku, operationId });
        await tx.stock.create({ id: `${sku} ${crypto.randomUUID()}` });
      },
      afterWrite: async (told: Told) => {
        await told.tx["stock"]?.create({ id: `${told.row.sku} ${crypto.randomUUID()}` });
        await after(told);
      },
    },
    actions: ({ action }: Tools) => ({
      raise: action({
        on: "row",
        batch: true,
        run({ row, operationId }: Given) {
          calls.push({ of: `${row.sku} raise`, operationId });
          return { total: row.total + 1 };
        },
      }),
      order: action({
        on: "collection",
        async run({ tx, operationId }: Given) {
          calls.push({ of: "order", operationId });
          for (const id of ["x", "y"]) await tx.orders.create({ id: `order-${id}`, sku: `order ${id}`, total: 1 });
          await tx.orders.raise("order-x");
        },
      }),
    }),
  });
  const stock = withActions("stock", {
    schema: z.object({ id: z.string() }),
    hooks: { afterWrite: ({ row, operationId }: Given) => void calls.push({ of: `stock of ${row.id.split(" ")[0]}`, operationId }) },
  });
  return [orders, stock];
}

const csv = { "content-type": "text/csv" };
const merge = { "content-type": "application/merge-patch+json" };
const order = (id: string) => ({ id, sku: id, total: 1 });
const ids = ["a", "b", "c"];
const file = `id,sku,total\n${ids.map((id) => `${id},${id},2\n`).join("")}`;

/** A request that writes orders, which must be there before if it changes them. */
interface Way {
  readonly name: string;
  readonly isNew?: true | undefined;
  readonly request: Sent;
}

const ways: readonly Way[] = [
  { name: "POST", isNew: true, request: { method: "POST", target: "/orders", body: order("a") } },
  { name: "PUT that creates", isNew: true, request: { method: "PUT", target: "/orders/a", body: { sku: "a", total: 1 } } },
  { name: "PUT", request: { method: "PUT", target: "/orders/a", body: { sku: "a", total: 2 } } },
  { name: "PATCH", request: { method: "PATCH", target: "/orders/a", body: { total: 2 }, headers: merge } },
  { name: "DELETE", request: { method: "DELETE", target: "/orders/a" } },
  { name: "a batch of creates", isNew: true, request: { method: "POST", target: "/orders/batch", body: { items: ids.map(order) } } },
  {
    name: "a batch of updates, one row twice",
    request: { method: "PATCH", target: "/orders/batch", body: { items: ["a", "b", "a"].map((id, at) => ({ id, changes: { total: at + 2 } })) } },
  },
  { name: "a batch of removals", request: { method: "POST", target: "/orders/batch-delete", body: { items: ids.map((id) => ({ id })) } } },
  { name: "an update by filter", request: { method: "POST", target: "/orders/bulk-update?total=1", body: { total: 2 } } },
  { name: "a batch of actions", request: { method: "POST", target: "/orders/raise", body: { items: ids.map((id) => ({ id })) } } },
  {
    name: "/batch",
    request: {
      method: "POST",
      target: "/batch",
      body: {
        operations: [
          { method: "POST", url: "/orders", body: order("d") },
          { method: "POST", url: "/orders", body: order("e") },
          { method: "PATCH", url: "/orders/a", body: { total: 7 } },
          { method: "PATCH", url: "/orders/a", body: { total: 8 } },
          { method: "POST", url: "/orders/b/raise" },
          { method: "DELETE", url: "/orders/c" },
        ],
      },
    },
  },
  { name: "an action of a row", request: { method: "POST", target: "/orders/a/raise" } },
  { name: "an action of the collection", isNew: true, request: { method: "POST", target: "/orders/order" } },
  { name: "an import", isNew: true, request: { method: "POST", target: "/orders/import", body: file, headers: csv } },
  {
    name: "an import that upserts",
    request: { method: "POST", target: "/orders/import?mode=upsert&key=id", body: `${file}d,d,1\ne,e,1\na,a,9\n`, headers: csv },
  },
];

const isOfMany = ({ request }: Way) => /batch|bulk|orders\/raise|import/.test(request.target);

describeStores(
  "the operation ids of hooks and actions",
  ({ open }) => {
    const calls: Call[] = [];
    let after: (told: Told) => unknown = () => undefined;
    let validate: (sku: string) => unknown = () => undefined;
    let opened: OpenedStore;
    let main: ReturnType<typeof process>;
    const resources = ordersWith(
      calls,
      (told) => after(told),
      async (sku) => {
        await validate(sku);
        return true;
      },
    );
    const blobs = memoryBlobs();

    function process(storage: Storage, work: boolean) {
      const shared = new Proxy(storage, {
        get(target, member) {
          const value: unknown = member === "close" ? undefined : Reflect.get(target, member);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
      const service = createService({
        resources: [...resources],
        storage: shared,
        logger: false,
        use: [hooks(), batch(), actions(), jobs({ pollMs: 5, work }), transfer({ blobs })],
      });
      return { service, send: clientOf(service) };
    }

    beforeAll(async () => {
      opened = await open();
      main = process(opened.storage, false);
      await main.service.start();
    });
    afterAll(async () => {
      await main.service.close();
      await opened.storage.close?.();
      await opened.end();
    });
    beforeEach(() => clear());

    async function clear(): Promise<void> {
      after = () => undefined;
      validate = () => undefined;
      const all = await main.send({ target: "/orders" });
      await main.send({ method: "POST", target: "/orders/batch-delete", body: { items: all.json.data.map(({ id }: { id: string }) => ({ id })) } });
    }

    /** Makes the orders that a way needs. */
    async function prepare({ isNew }: { readonly isNew?: true | undefined }): Promise<void> {
      if (!isNew) await main.send({ method: "POST", target: "/orders/batch", body: { items: ids.map(order) } });
      calls.length = 0;
    }

    /** The calls of a request that nothing disturbs: so many writes, each with an id of its own. */
    async function undisturbed(way: Way): Promise<number> {
      await prepare(way);
      expectDone(await main.send(way.request));
      const writes = calls.length;
      expect(new Set(calls.map(({ operationId }) => operationId)).size).toBe(writes);
      await clear();
      return writes;
    }

    /** Attempts have used one id for each write, and none for two. */
    function expectSameIds(writes: number): void {
      const known = new Map<string, string>();
      for (const { of, operationId } of calls) {
        expect([operationId, known.get(operationId) ?? of]).toEqual([operationId, of]);
        known.set(operationId, of);
      }
      expect(calls.length).toBeGreaterThan(writes);
      expect(known.size).toBe(writes);
    }

    /** The n-th write of an order from now on fails, as if another transaction had won. */
    function conflictAt(nth: number): void {
      let left = nth;
      after = () => {
        left -= 1;
        if (left === 0) throw new Retryable("Another transaction has won.");
      };
    }

    const expectDone = ({ status, text }: Received) => {
      expect([status < 300, text]).toEqual([true, expect.not.stringMatching(/"status":[45]/)]);
    };

    describe.each(ways.map((way) => [way.name, way] as const))("%s", (_, way) => {
      const modes = /\/batch|bulk|raise$/.test(way.request.target) ? ["handling=lenient", "handling=strict"] : [undefined];
      test.each(modes)("are the same when the transaction is retried (%s)", async (prefer) => {
        const writes = await undisturbed(way);
        await prepare(way);
        conflictAt(isOfMany(way) ? 2 : 1);
        expectDone(await main.send({ ...way.request, headers: { ...way.request.headers, ...(prefer && { prefer }) } }));
        expectSameIds(writes);
      });
    });

    test("another request has others", async () => {
      await prepare({});
      await main.send({ method: "PATCH", target: "/orders/a", body: { total: 2 }, headers: merge });
      await main.send({ method: "PATCH", target: "/orders/a", body: { total: 3 }, headers: merge });
      const all = calls.map(({ operationId }) => operationId);
      expect(new Set(all).size).toBe(all.length);
    });

    test.each(["handling=lenient", "handling=strict"])(
      "are the same when an item is validated again, because its row has changed (%s)",
      async (prefer) => {
        await prepare({});
        let changed = false;
        validate = async (sku) => {
          if (sku !== "new c" || changed) return;
          changed = true;
          await main.send({ method: "PATCH", target: "/orders/c", body: { total: 100 }, headers: merge });
          calls.length = 0;
        };
        const items = ids.map((id) => ({ id, changes: { sku: `new ${id}` } }));
        expectDone(await main.send({ method: "PATCH", target: "/orders/batch", body: { items }, headers: { prefer } }));
        expectSameIds(9);
        expect((await main.send({ target: "/orders/c" })).json).toMatchObject({ sku: "new c", total: 100 });
      },
    );

    test("are the same when a transaction of code runs again", async () => {
      await prepare({ isNew: true });
      let attempts = 0;
      await main.service.asSystem().transaction(async (tx) => {
        const orders = tx.of(resources[0] as Resource) as Given;
        for (const id of ids) await orders.create(order(id));
        await orders.update("a", { total: 5 });
        await tx.transaction(async (inner) => void (await (inner.of(resources[0] as Resource) as Given).update("a", { total: 6 })));
        attempts += 1;
        if (attempts === 1) throw new Retryable("Another transaction has won.");
      });
      expectSameIds(calls.length / 2);
    });

    const later = ways
      .filter(isOfMany)
      .flatMap((way) =>
        (way.name.includes("import") ? ["respond-async"] : ["respond-async", "respond-async, handling=strict"]).map(
          (prefer) => [way.name, prefer, way] as const,
        ),
      );

    test.each(later)("are the same when another process goes on with the job: %s (%s)", async (_, prefer, way) => {
      const writes = await undisturbed(way);
      await prepare(way);
      const target = jobOf(await main.send({ ...way.request, headers: { ...way.request.headers, prefer } }));
      const first = process(opened.storage, true);
      let left = 2;
      const closed = new Promise<void>((resolve, reject) => {
        after = async () => {
          left -= 1;
          if (left !== 0) return;
          first.service.close({ graceMs: 5_000 }).then(resolve, reject);
          throw new Unavailable("The process ends.");
        };
      });
      await first.service.start();
      await closed;
      const second = process(opened.storage, true);
      await second.service.start();
      const job = await endedJob(main.send, target);
      await second.service.close();
      expect([job.status, job.document["error"]]).toEqual(["completed", null]);
      expect(job.results.filter(({ status }) => status >= 400)).toEqual([]);
      expectSameIds(writes);
    });
  },
  ({ name, hasTransactions }) => hasTransactions && !name.startsWith("a store"),
);
