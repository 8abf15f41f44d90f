import { defineResource, extend, type Principal, type Resource, type RuleTransaction, type Service, type TypedEvent } from "restwright";
import { expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type Attempt, generated, open, openList, orders, ordersBase, parcels, respond, schema, users, usersBase } from "./rulesShop.js";

interface Stored {
  id: bigint;
  total: number;
  status: "open" | "paid" | "sent";
  nick?: string | undefined;
  customerId: number;
  secret: string;
  createdAt: Date;
}
type Shown = Omit<Stored, "secret">;

test("hooks get the rows of the schema, told apart by the kind of the write", () => {
  defineResource("orders", {
    schema,
    generated,
    hooks: {
      beforeWrite({ kind, before, next, changes, tx, principal, operationId, signal, requestId, way }) {
        if (kind === "create") {
          expectTypeOf(before).toEqualTypeOf<undefined>();
          expectTypeOf(next).branded.toEqualTypeOf<Readonly<Omit<Stored, "id">>>();
          expectTypeOf(changes).branded.toEqualTypeOf<Readonly<Partial<Stored>>>();
        } else if (kind === "update") {
          expectTypeOf(before).branded.toEqualTypeOf<Readonly<Stored>>();
          expectTypeOf(next).branded.toEqualTypeOf<Readonly<Stored>>();
        } else {
          expectTypeOf(before).branded.toEqualTypeOf<Readonly<Stored>>();
          expectTypeOf(next).toEqualTypeOf<undefined>();
          expectTypeOf(changes).toEqualTypeOf<undefined>();
        }
        expectTypeOf(tx).toEqualTypeOf<RuleTransaction>();
        expectTypeOf(principal).toEqualTypeOf<Principal | undefined>();
        expectTypeOf({ operationId, requestId, signal }).toEqualTypeOf<{ operationId: string; requestId: string; signal: AbortSignal }>();
        expectTypeOf(way).toEqualTypeOf<"http" | "batch" | "import" | "code" | "action">();
        return { total: 5, status: "paid", nick: null };
      },
      async afterWrite({ kind, before, row, tx }) {
        if (kind === "update") expectTypeOf(before).branded.toEqualTypeOf<Readonly<Stored>>();
        expectTypeOf(row).branded.toEqualTypeOf<Readonly<Stored>>();
        expectTypeOf(await tx.sql("select 1", [row.id])).toEqualTypeOf<readonly Readonly<Record<string, unknown>>[]>();
        expectTypeOf(await tx.emit({ type: "order.created", data: {} })).toEqualTypeOf<string>();
        expectTypeOf(await tx.as({ id: "7" }).of(usersBase).get(7)).branded.toEqualTypeOf<{ id: number; name: string; orders: number }>();
        expectTypeOf(await tx.asSystem({ tenant: "a" }).of(ordersBase).get(7n)).branded.toEqualTypeOf<Stored>();
        expectTypeOf(await tx.transaction((inner) => inner.of(usersBase).count())).toEqualTypeOf<number>();
        tx.afterCommit(() => row.id);
      },
    },
  });
  defineResource("orders", {
    schema,
    generated,
    hooks: {
      async beforeWrites({ writes }) {
        return writes.map(({ kind, operationId }) => (kind === "remove" ? undefined : { nick: operationId }));
      },
      afterWrites({ writes }) {
        for (const { row } of writes) expectTypeOf(row).branded.toEqualTypeOf<Readonly<Stored>>();
      },
    },
  });
  const withText = z.object({ id: z.string(), name: z.string() });
  defineResource("texts", {
    schema: withText,
    generated: { id: "ulid" },
    hooks: {
      beforeWrite({ kind, next }) {
        // The id is made before.
        if (kind === "create") expectTypeOf(next).branded.toEqualTypeOf<Readonly<{ id: string; name: string }>>();
      },
    },
  });
  defineResource("open", {
    schema: z.looseObject({ id: z.int(), name: z.string() }),
    hooks: { beforeWrite: ({ next }) => ({ name: next?.name ?? "", anything: 5 }) },
  });
});

test("actions are calls of the collection", async () => {
  const shop = open().as({ id: "7" });
  const system = open().asSystem();
  expectTypeOf(await shop.orders.cancel(7n, { reason: "late" }, { ifMatch: '"1"', operationId: "a" })).branded.toEqualTypeOf<Shown>();
  expectTypeOf(await system.orders.cancel(7n, { reason: "late" })).branded.toEqualTypeOf<Stored>();
  expectTypeOf(await shop.orders.touch(7n)).branded.toEqualTypeOf<Shown>();
  expectTypeOf(await shop.orders.touch(7n, undefined, { ifMatch: await shop.orders.get(7n) })).branded.toEqualTypeOf<Shown>();
  expectTypeOf(await shop.orders.copy(7n)).branded.toEqualTypeOf<Shown | { copied: number }>();
  expectTypeOf(await shop.orders.receipt(7n)).toEqualTypeOf<{ text: string }>();
  expectTypeOf(await shop.orders.statistics({ since: "2026-01-01" }, { operationId: "a" })).toEqualTypeOf<{ count: number }>();
  expectTypeOf(await shop.orders.clear()).toEqualTypeOf<{ n: number }>();
  expectTypeOf(await shop.orders.clear({ dry: true })).toEqualTypeOf<{ n: number }>();
  expectTypeOf(await shop.parcels.lose("a")).branded.toEqualTypeOf<{ id: string; weight: number }>();
  expectTypeOf((await shop.orders.list()).data).branded.toEqualTypeOf<Shown[]>();
  expectTypeOf(await shop.of(orders).receipt(7n)).toEqualTypeOf<{ text: string }>();
  expectTypeOf(await shop.transaction((tx) => tx.orders.receipt(7n))).toEqualTypeOf<{ text: string }>();
  expectTypeOf(await openList().asSystem().of(orders).receipt(7n)).toEqualTypeOf<{ text: string }>();
});

test("the run of an action gets the row and the validated input", () => {
  extend(ordersBase, {
    actions: ({ action }) => ({
      pay: action({
        on: "row",
        input: z.object({ at: z.coerce.date(), by: z.string().default("card") }),
        events: ["order.paid", "order.late"],
        async run({ row, input, principal, tx, emit, operationId, signal, requestId }) {
          expectTypeOf(row).branded.toEqualTypeOf<Readonly<Stored>>();
          expectTypeOf(input).toEqualTypeOf<{ at: Date; by: string }>();
          expectTypeOf(principal).toEqualTypeOf<Principal | undefined>();
          expectTypeOf(tx).toEqualTypeOf<RuleTransaction>();
          expectTypeOf(emit).parameter(0).toEqualTypeOf<"order.paid" | "order.late">();
          expectTypeOf({ operationId, requestId, signal }).toEqualTypeOf<{ operationId: string; requestId: string; signal: AbortSignal }>();
          return { status: "paid" };
        },
      }),
      none: action({ on: "row", run: ({ input }) => expectTypeOf(input).toEqualTypeOf<undefined>() && undefined }),
      all: action({ on: "collection", run: (call) => expectTypeOf(call).not.toHaveProperty("row") && undefined }),
    }),
  });
});

test("extended collections are collections of the same name", () => {
  expectTypeOf(orders).toExtend<Resource<"orders", typeof schema>>();
  expectTypeOf(users).toEqualTypeOf<typeof usersBase>();
  expectTypeOf(open()).toExtend<Service>();
});

test("subscribers get the events that collections and actions declare", () => {
  const service = open();
  service.on("order.created", { name: "a", attempts: 5 }, (event, call) => {
    // As JSON: a bigint and a date are text.
    expectTypeOf(event.data).branded.toEqualTypeOf<Readonly<{ orderId: string; amount: number; at: string }>>();
    expectTypeOf(event.type).toEqualTypeOf<"order.created">();
    expectTypeOf(event.tenant).toEqualTypeOf<string | undefined>();
    expectTypeOf(event.createdAt).toEqualTypeOf<Date>();
    expectTypeOf(call).toEqualTypeOf<Attempt>();
  });
  service.on("order.cancelled", { name: "b" }, (event) => expectTypeOf(event.data).toEqualTypeOf<Readonly<Record<string, unknown>>>());
  service.on("order.*", { name: "c" }, (event) => {
    expectTypeOf(event.type).toEqualTypeOf<"order.created" | "order.changed" | "order.cancelled">();
    if (event.type === "order.created") expectTypeOf(event.data.amount).toEqualTypeOf<number>();
  });
  service.on("parcel.item.*", { name: "d" }, (event) => expectTypeOf(event.type).toEqualTypeOf<"parcel.item.lost">());
  service.on("parcel.*", { name: "e" }, (event) => expectTypeOf(event.type).toEqualTypeOf<"parcel.item.lost" | "parcel.lost">());
  service.on(["custom.made", "order.changed"], { name: "f" }, (event) => expectTypeOf(event.type).toEqualTypeOf<"custom.made" | "order.changed">());
  service.on("*", { name: "g", onDead: (event, { error }) => expectTypeOf({ type: event.type, error }).toHaveProperty("error") }, (event) =>
    expectTypeOf(event.type).toEqualTypeOf<
      "order.created" | "order.changed" | "order.cancelled" | "parcel.item.lost" | "parcel.lost" | "custom.made"
    >(),
  );
  openList().on("any.thing", { name: "a" }, (event) => expectTypeOf(event).toExtend<TypedEvent<string, Readonly<Record<string, unknown>>>>());
  expectTypeOf(service.on).returns.toEqualTypeOf<{ readonly registered: Promise<void> }>();
});

test("wrong hooks do not compile", () => {
  const wrong = () => {
    // @ts-expect-error: no such field
    extend(ordersBase, { hooks: { beforeWrite: () => ({ totl: 5 }) } });
    // @ts-expect-error: an id cannot be changed
    extend(ordersBase, { hooks: { beforeWrite: () => ({ id: 5n }) } });
    // @ts-expect-error: an id cannot be changed, with others
    extend(ordersBase, { hooks: { beforeWrite: () => ({ id: 5n, total: 5 }) } });
    // @ts-expect-error: wrong type
    extend(ordersBase, { hooks: { beforeWrite: () => ({ total: "5" }) } });
    // @ts-expect-error: no such value
    extend(ordersBase, { hooks: { beforeWrite: async () => ({ status: "lost" }) } });
    // @ts-expect-error: a required field cannot be cleared
    extend(ordersBase, { hooks: { beforeWrite: () => ({ total: null }) } });
    // @ts-expect-error: there is no row before a create
    extend(ordersBase, { hooks: { beforeWrite: ({ kind, before }) => (kind === "create" ? { total: before.total } : undefined) } });
    // @ts-expect-error: the kind is not known
    extend(ordersBase, { hooks: { beforeWrite: ({ next }) => ({ total: next.total }) } });
    // @ts-expect-error: the store numbers it
    extend(ordersBase, { hooks: { beforeWrite: ({ kind, next }) => (kind === "create" ? { total: Number(next.id) } : undefined) } });
    // @ts-expect-error: nothing comes after a removal
    extend(ordersBase, { hooks: { beforeWrite: ({ kind, next }) => (kind === "remove" ? { total: next.total } : undefined) } });
    // @ts-expect-error: no such kind
    extend(ordersBase, { hooks: { beforeWrite: ({ kind }) => (kind === "replace" ? { total: 5 } : undefined) } });
    // @ts-expect-error: a row has no such field
    extend(ordersBase, { hooks: { afterWrite: ({ row }) => void row.totl } });
    // @ts-expect-error: it changes nothing
    extend(ordersBase, { hooks: { afterWrite: async () => ({ total: 5 }) } });
    // @ts-expect-error: one entry for each write
    extend(ordersBase, { hooks: { beforeWrites: () => ({ total: 5 }) } });
    // @ts-expect-error: no such hook
    extend(ordersBase, { hooks: { beforeWrit: () => ({ total: 5 }) } });
    // @ts-expect-error: no such relation
    extend(ordersBase, { hooks: { afterWrite: async ({ tx }) => void (await tx.of(ordersBase).get(7n, { include: ["owner"] })) } });
    // @ts-expect-error: no such field of the other collection
    extend(ordersBase, { hooks: { afterWrite: async ({ tx }) => void (await tx.of(usersBase).update(7, { nme: "a" })) } });
    // @ts-expect-error: only its own collection is known by name
    extend(ordersBase, { hooks: { afterWrite: async ({ tx }) => void (await tx.users.get(7)) } });
    // @ts-expect-error: an event has a type
    extend(ordersBase, { hooks: { afterWrite: async ({ tx }) => void (await tx.emit({ data: {} })) } });
    // @ts-expect-error: no such option
    extend(ordersBase, { hoks: {} });
    // @ts-expect-error: not a collection
    extend("orders", { hooks: {} });
  };
  expectTypeOf(wrong).toBeFunction();
});

test("wrong actions do not compile", () => {
  const wrong = () => {
    // @ts-expect-error: no such field
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", run: () => ({ totl: 5 }) }) }) });
    // @ts-expect-error: no such field, with another one
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", run: () => ({ total: 5, totl: 5 }) }) }) });
    // @ts-expect-error: an id cannot be changed
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", run: () => ({ id: 5n }) }) }) });
    // @ts-expect-error: no such value
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", run: () => ({ status: "lost" }) }) }) });
    // @ts-expect-error: an event that it does not declare
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", events: ["a.b"], run: ({ emit }) => void emit("a.c", {}) }) }) });
    // @ts-expect-error: it declares no events
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", run: ({ emit }) => void emit("a.c", {}) }) }) });
    // @ts-expect-error: neither a row nor the collection
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "rows", run: () => undefined }) }) });
    // @ts-expect-error: a collection has no row
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "collection", run: ({ row }) => row }) }) });
    // @ts-expect-error: no input
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", run: ({ input }) => ({ nick: input.nick }) }) }) });
    const input = z.object({ a: z.int() });
    // @ts-expect-error: not in the input
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", input, run: (call) => ({ total: call.input.b }) }) }) });
    const output = z.object({ n: z.int() });
    // @ts-expect-error: not what it says
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", output, run: () => respond({ n: "5" }) }) }) });
    // @ts-expect-error: no such method
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", method: "PUT", run: () => undefined }) }) });
    // @ts-expect-error: only actions on rows have batches
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "collection", batch: true, run: () => undefined }) }) });
    // @ts-expect-error: no such option
    extend(ordersBase, { actions: ({ action }) => ({ pay: action({ on: "row", inputs: z.object({}), run: () => undefined }) }) });
    // @ts-expect-error: not an action
    extend(ordersBase, { actions: () => ({ pay: () => undefined }) });
    const shop = open().asSystem();
    // @ts-expect-error: the input is missing
    void shop.orders.cancel(7n);
    // @ts-expect-error: wrong input
    void shop.orders.cancel(7n, { reason: 5 });
    // @ts-expect-error: no such member
    void shop.orders.cancel(7n, { reason: "a", reasn: "b" });
    // @ts-expect-error: it has no input
    void shop.orders.touch(7n, { a: 5 });
    // @ts-expect-error: ids are bigints
    void shop.orders.touch(7);
    // @ts-expect-error: no such option
    void shop.orders.touch(7n, undefined, { ifMatches: '"1"' });
    // @ts-expect-error: a collection has no id
    void shop.orders.statistics(7n, { since: "2026-01-01" });
    // @ts-expect-error: no such action
    void shop.orders.pay(7n);
    // @ts-expect-error: its base has no actions
    void shop.of(ordersBase).touch(7n);
    // @ts-expect-error: parcels cannot be read one by one
    void open().as({ id: "ada" }).parcels.get("a");
  };
  expectTypeOf(wrong).toBeFunction();
  expectTypeOf(parcels).toExtend<Resource>();
});

test("wrong subscriptions do not compile", () => {
  const wrong = () => {
    const service = open();
    // @ts-expect-error: no such event
    service.on("order.creatd", { name: "a" }, () => {});
    // @ts-expect-error: no event begins like this
    service.on("ordr.*", { name: "a" }, () => {});
    // @ts-expect-error: no such event in a list
    service.on(["order.created", "order.lost"], { name: "a" }, () => {});
    // @ts-expect-error: no name
    service.on("order.created", {}, () => {});
    // @ts-expect-error: no such option
    service.on("order.created", { name: "a", attempt: 5 }, () => {});
    // @ts-expect-error: not in its data
    service.on("order.created", { name: "a" }, ({ data }) => data.total);
    // @ts-expect-error: JSON has no dates
    service.on("order.created", { name: "a" }, ({ data }) => data.at.getTime());
    // @ts-expect-error: not an event of this pattern
    service.on("order.*", { name: "a" }, ({ type }) => type === "parcel.lost");
    // @ts-expect-error: an event that causes nothing
    defineResource("things", { schema, events: { "a.b": { on: "read" } } });
    // @ts-expect-error: the data of an event is an object
    defineResource("things", { schema, events: { "a.b": { on: "create", data: () => 5 } } });
  };
  expectTypeOf(wrong).toBeFunction();
});
