import {
  belongsTo,
  type Capability,
  createService,
  defineResource,
  type EventSubscriptions,
  extend,
  type Resource,
  type Responded,
  type Storage,
} from "restwright";
import { z } from "zod";

export declare const respond: <T>(value: T) => Responded<T>;

export const schema = z.object({
  id: z.bigint(),
  total: z.number(),
  status: z.enum(["open", "paid", "sent"]).default("open"),
  nick: z.string().optional(),
  customerId: z.int(),
  secret: z.string(),
  createdAt: z.date(),
});
export const generated = { id: "increment", createdAt: "createdAt" } as const;

export const ordersBase = defineResource("orders", {
  schema,
  generated,
  access: { secret: { read: false } },
  relations: { customer: belongsTo("users", "customerId") },
  events: {
    "order.created": { on: "create", data: ({ id, total, createdAt }) => ({ orderId: id, amount: total, at: createdAt }) },
    "order.changed": { on: "update", when: (row, before) => row.status !== before?.status },
  },
});

export const usersBase = defineResource("users", {
  schema: z.object({ id: z.int(), name: z.string(), orders: z.number() }),
  generated: { id: "increment" },
});

export const orders = extend(ordersBase, {
  hooks: {
    beforeWrite: async ({ next, tx }) => {
      const user = next && (await tx.of(usersBase).get(next.customerId));
      return user && { nick: user.name };
    },
  },
  actions: ({ action }) => ({
    cancel: action({
      on: "row",
      input: z.object({ reason: z.string() }),
      events: ["order.cancelled"],
      problems: { ORDER_SENT: 409 },
      batch: true,
      async run({ row, input, emit }) {
        await emit("order.cancelled", { orderId: row.id, reason: input.reason });
        return { status: "paid", nick: null };
      },
    }),
    touch: action({ on: "row", run: () => undefined }),
    copy: action({ on: "row", run: ({ row }) => (row.total > 5 ? respond({ copied: row.total }) : { total: 5 }) }),
    receipt: action({ on: "row", method: "GET", output: z.object({ text: z.string() }), run: ({ row }) => respond({ text: row.status }) }),
    statistics: action({
      on: "collection",
      method: "GET",
      input: z.object({ since: z.coerce.date() }),
      run: async ({ tx }) => respond({ count: await tx.of(ordersBase).count() }),
    }),
    clear: action({ on: "collection", input: z.object({ dry: z.boolean() }).optional(), output: z.object({ n: z.number() }), run: () => ({ n: 5 }) }),
  }),
});

export const users = extend(usersBase, {
  hooks: { afterWrite: async ({ row, tx }) => void (await tx.of(ordersBase).list({ where: { customerId: row.id } })) },
});

export const parcels = defineResource("parcels", {
  schema: z.object({ id: z.string(), weight: z.number() }),
  generated: { id: "ulid" },
  operations: ["list"],
  events: { "parcel.item.lost": { on: ["update", "remove"] } },
  actions: ({ action }) => ({ lose: action({ on: "row", events: ["parcel.lost"], run: ({ row }) => ({ weight: row.weight }) }) }),
});

declare const storage: Storage;
declare const list: readonly Resource[];
declare const subscribers: Capability<
  EventSubscriptions<{ readonly name: string; readonly attempts?: number }, Attempt, { readonly error: unknown }, "custom.made">
>;

export interface Attempt {
  readonly attempt: number;
  readonly signal: AbortSignal;
}

export const open = () => createService({ resources: [orders, users, parcels], storage, use: [subscribers] });
export const openList = () => createService({ resources: list, storage, use: [subscribers] });
