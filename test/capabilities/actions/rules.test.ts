import { type Capability, defineResource, problem, type Resource, type Storage } from "restwright";
import { actions } from "restwright/actions";
import { batch } from "restwright/batch";
import { hooks } from "restwright/hooks";
import { memoryStorage } from "restwright/memory";
import { subscribers } from "restwright/subscribers";
import { rename, versions } from "restwright/versions";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { eventually } from "../../tools/eventually.js";
import { actionService, type Given, orderActions, orderResources, ordersSchema, type Tools, withActions } from "./stage.js";

const input = { reason: "too late" };

/** Keeps the events that are emitted, when their transaction commits. */
function emitted(events: Given[]): Capability {
  return {
    name: "emitted",
    resourceOptions: ["events"],
    open: () => ({
      rowEvents: {
        concerns: () => false,
        join: async () => {},
        async emit(event) {
          events.push(event);
          return "1";
        },
      },
    }),
  };
}

describe("hooks of the written row", () => {
  test("run with the way of an action, and judge what it returned", async () => {
    const calls: Given[] = [];
    const orders = withActions("orders", {
      schema: ordersSchema,
      generated: { id: "increment" },
      actions: orderActions(),
      hooks: {
        beforeWrite(write: Given) {
          if (write.way !== "http") calls.push(write);
          if (write.next?.reason === "never") throw problem("NEVER", 409, "Never.");
          return write.kind === "update" ? { total: write.next.total + 1 } : undefined;
        },
      },
    });
    const { send, add } = actionService(memoryStorage(), [orders], { use: [actions(), batch(), hooks()] });
    const [first, second] = [await add(), await add()];
    const answer = await send("POST", `/orders/${first}/cancel`, input);
    expect(answer.json).toMatchObject({ status: "cancelled", total: 6 });
    expect((await send("POST", `/orders/${first}/touch`, undefined, { "if-match": String(answer.headers["etag"]) })).status).toBe(200);
    expect((await send("POST", `/orders/${second}/cancel`, { reason: "never" })).json.code).toBe("NEVER");
    await send("POST", "/orders/cancel", { items: [{ id: second, input }] });
    expect(calls.map(({ way, kind, changes }) => [way, kind, changes])).toEqual([
      ["action", "update", { status: "cancelled", reason: "too late" }],
      ["action", "update", { status: "cancelled", reason: "never" }],
      ["action", "update", { status: "cancelled", reason: "too late" }],
    ]);
    expect(calls[0].principal).toMatchObject({ id: "ann" });
  });
});

describe("events of actions", () => {
  const ordersWith = (run: (given: Given) => unknown) =>
    withActions("orders", {
      schema: ordersSchema,
      generated: { id: "increment" },
      actions: ({ action }: Tools) => ({ cancel: action({ on: "row", events: ["order.cancelled"], run }) }),
    });

  test("are of the row as it stands after the action", async () => {
    const events: Given[] = [];
    const orders = ordersWith(async ({ row, emit }) => {
      await emit("order.cancelled", { id: row.id });
      return { status: "cancelled" };
    });
    const { send, add } = actionService(memoryStorage(), [orders], { use: [actions(), emitted(events)] });
    const id = await add();
    expect((await send("POST", `/orders/${id}/cancel`)).status).toBe(200);
    expect(events).toEqual([
      {
        type: "order.cancelled",
        data: { id },
        tenant: undefined,
        of: { collection: "orders", row: expect.objectContaining({ id, status: "cancelled" }) },
      },
    ]);
  });

  test("arrive at subscribers of the service", async () => {
    const received: Given[] = [];
    const orders = ordersWith(({ row, emit }) => emit("order.cancelled", { id: row.id }).then(() => ({ status: "cancelled" })));
    const { service, send, add } = actionService(memoryStorage(), [orders], { use: [actions(), subscribers()] });
    const on = (service as Given).on;
    on("order.cancelled", { name: "mail" }, (event: Given) => void received.push(event));
    expect(() => on("order.canceled", { name: "other" }, () => {})).toThrow("order.cancelled");
    await service.start();
    const id = await add();
    expect((await send("POST", `/orders/${id}/cancel`)).status).toBe(200);
    await eventually(() => expect(received).toHaveLength(1));
    expect(received[0]).toMatchObject({ type: "order.cancelled", data: { id } });
    await service.close();
  });

  test("must be declared, and none is emitted by an action that fails", async () => {
    const events: Given[] = [];
    const faults: unknown[] = [];
    const orders = ordersWith(async ({ emit }) => {
      await emit("order.cancelled");
      await emit("order.canceled");
    });
    const { send, add } = actionService(memoryStorage(), [orders], {
      use: [actions(), emitted(events)],
      onError: (error) => faults.push(error),
    });
    expect((await send("POST", `/orders/${await add()}/cancel`)).status).toBe(500);
    expect(String(faults[0])).toContain('emitted "order.canceled", but its "events" are order.cancelled.');
    expect(events).toEqual([]);
  });
});

describe("authorize", () => {
  test("is asked for the action by its name", async () => {
    const asked: string[] = [];
    const { send, add } = actionService(memoryStorage(), orderResources(), {
      authorize({ action, collection }) {
        asked.push(`${action} ${collection}`);
        return action !== "cancel" && action !== "statistics";
      },
    });
    const id = await add();
    const refused = await send("POST", `/orders/${id}/cancel`, input);
    expect([refused.status, refused.json.detail]).toEqual([403, 'Not allowed to run "cancel" in "orders".']);
    expect((await send("GET", "/orders/statistics")).status).toBe(403);
    expect((await send("POST", "/orders/cancel", { items: [{ id, input }] })).status).toBe(403);
    expect((await send("POST", `/orders/${id}/touch`)).status).toBe(200);
    expect(asked).toEqual(["create orders", "create orders", "cancel orders", "statistics orders", "cancel orders", "touch orders"]);
  });
});

describe("a row that the principal may not read after the action", () => {
  test("is written and not shown", async () => {
    const scope = ({ principal, action }: Given) => (action === "give" ? true : { ownerId: principal.id });
    const { send, service } = actionService(memoryStorage(), orderResources([], { scope }));
    const { id } = (await send("POST", "/orders", { ownerId: "ann", customerId: null, status: "open", reason: null, total: 5 })).json;
    const answer = await send("POST", `/orders/${id}/give`, { to: "bob" });
    expect([answer.status, answer.text, answer.headers["etag"]]).toEqual([204, "", undefined]);
    expect((await send("GET", `/orders/${id}`)).status).toBe(404);
    const shop: Given = service.asSystem();
    expect((await shop.orders.get(id)).ownerId).toBe("bob");
    expect((await send("POST", `/orders/${id}/give`, { to: "ann" })).status).toBe(404);
  });

  test("is judged as it stands if the action wrote it by its transaction", async () => {
    const orders = withActions("orders", {
      schema: ordersSchema,
      generated: { id: "increment" },
      scope: ({ principal }: Given) => ({ ownerId: principal.id }),
      actions: ({ action }: Tools) => ({
        give: action({ on: "row", run: ({ row, tx }: Given) => tx.orders.update(row.id, { ownerId: "bob" }).then(() => undefined) }),
      }),
    });
    const { send } = actionService(memoryStorage(), [orders], { use: [actions()] });
    const { id } = (await send("POST", "/orders", { ownerId: "ann", customerId: null, status: "open", reason: null, total: 5 })).json;
    expect((await send("POST", `/orders/${id}/give`)).json.code).toBe("OUT_OF_SCOPE");
    expect((await send("GET", `/orders/${id}`)).json.ownerId).toBe("ann");
  });
});

describe("versions of the API", () => {
  test("run the same action, and show the row in their form", async () => {
    const orders = defineResource("orders", {
      schema: ordersSchema,
      generated: { id: "increment" },
      actions: orderActions() as never,
      versions: {
        v2: [rename({ from: "reason", to: "why", type: z.string().nullable() })],
      },
    } as never) as unknown as Resource;
    const { send, add } = actionService(memoryStorage(), [orders], {
      use: [actions(), batch(), versions({ vendor: "shop", schema: "v1", default: "v1", supported: { v1: {}, v2: {} } })],
    });
    const v2 = { "x-api-version": "v2" };
    const id = await add();
    const answer = await send("POST", `/orders/${id}/cancel`, input, v2);
    expect(answer.json).toMatchObject({ id, status: "cancelled", why: "too late" });
    expect(answer.json).not.toHaveProperty("reason");
    expect((await send("GET", `/orders/${id}`, undefined, v2)).headers["etag"]).toBe(answer.headers["etag"]);
    expect((await send("POST", `/orders/${id}/touch`, undefined, { ...v2, "if-match": String(answer.headers["etag"]) })).json.why).toBe("too late");
    const other = await add();
    const items = { items: [{ id: other, input }] };
    expect((await send("POST", "/orders/cancel", items, v2)).json.results[0].data.why).toBe("too late");
    expect((await send("GET", `/orders/${id}`)).json.reason).toBe("too late");
  });
});

describe("a store without locks", () => {
  /** Transactions that may run at once, as those of a store with optimistic concurrency. */
  const unlocked = (storage: Storage): Storage => ({
    ...storage,
    name: storage.name,
    collection(model) {
      const rows = storage.collection(model);
      return {
        can: { ...rows.can, sharedLocks: false },
        find: (query, call) => rows.find({ ...query, lock: undefined }, call),
        get: (id, call) => rows.get(id, call),
        insert: (row, call) => rows.insert(row, call),
        update: (id, patch, call) => rows.update(id, patch, call),
        remove: (id, call) => rows.remove(id, call),
      };
    },
    transaction: (run, options) => storage.transaction?.((tx) => run(unlocked(tx)), options) as never,
  });

  test("changes the version of the row, also where an action only responds", async () => {
    const seen: Given[] = [];
    const { send, add } = actionService(unlocked(memoryStorage()), orderResources(seen));
    const id = await add();
    const { etag } = (await send("GET", `/orders/${id}`)).headers;
    const headers = { "if-match": String(etag) };
    const both = await Promise.all([1, 2].map(() => send("POST", `/orders/${id}/quote`, undefined, headers)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 412]);
    const cancelled = await Promise.all([1, 2].map(() => send("POST", `/orders/${id}/cancel`, input)));
    expect(cancelled.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

test("an action that returns a stamped field alone changes it, within the scope", async () => {
  const orders = withActions("orders", {
    schema: ordersSchema,
    generated: { id: "increment" },
    stamp: { ownerId: ({ principal }: Given) => principal.id },
    scope: ({ principal, action }: Given) => action === "read" || action === "create" || { ownerId: { in: [principal.id, "bob"] } },
    actions: ({ action }: Tools) => ({
      give: action({ on: "row", input: z.object({ to: z.string() }), run: ({ input }: Given) => ({ ownerId: input.to }) }),
    }),
  });
  const { send, service } = actionService(memoryStorage(), [orders]);
  const order = { customerId: null, status: "open", reason: null, total: 5 };
  const { id } = (await send("POST", "/orders", order)).json;
  expect((await send("POST", `/orders/${id}/give`, { to: "root" })).json.code).toBe("OUT_OF_SCOPE");
  expect((await send("POST", `/orders/${id}/give`, { to: "bob" })).json).toMatchObject({ id, ownerId: "bob" });
  expect((await send("GET", `/orders/${id}`)).json.ownerId).toBe("bob");
  await service.close();
});
