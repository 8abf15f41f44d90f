import { belongsTo, createService, defineResource, hasMany, type Storage } from "restwright";
import { createClient } from "restwright/client";
import { z } from "zod";

const users = defineResource("users", {
  schema: z.object({
    id: z.int(),
    name: z.string(),
    hash: z.string(),
    salary: z.number(),
    createdAt: z.date(),
    nick: z.string().optional(),
    bio: z.string(),
  }),
  generated: { id: "increment", createdAt: "createdAt" },
  access: { hash: { read: false }, salary: { read: ({ claims }) => claims?.["role"] === "admin" } },
  unique: ["name", ["createdAt", "nick"], { fields: ["salary", "id"], index: "salaries" }],
  heavy: ["bio"],
  relations: { orders: hasMany("orders", "customerId") },
});

const orders = defineResource("orders", {
  schema: z.object({
    id: z.bigint(),
    total: z.number(),
    status: z.enum(["open", "paid"]).default("open"),
    address: z.object({ city: z.string(), zip: z.string(), since: z.date() }),
    note: z.string().nullable(),
    customerId: z.int(),
    ownerId: z.string(),
    number: z.string().default(""),
    createdAt: z.date(),
  }),
  generated: { id: "increment", createdAt: "createdAt" },
  readOnly: ["number"],
  stamp: { ownerId: ({ principal }) => principal.id },
  compact: ["id", "total", "status"],
  filter: ["total", "status", "customerId", "address", "createdAt", "id"],
  sort: ["total", "createdAt"],
  relations: { customer: belongsTo("users", "customerId") },
  events: { "order.created": { on: "create", data: ({ id, total, createdAt }) => ({ orderId: id, total, createdAt }) } },
  actions: ({ action }) => ({
    cancel: action({ on: "row", input: z.object({ reason: z.string(), at: z.date() }), events: ["order.canceled"], run: () => ({ status: "paid" }) }),
    ping: action({ on: "row", problems: ["ORDER_SHIPPED", "CONFLICT"], run: () => undefined }),
    sum: action({
      on: "collection",
      problems: { SUM_TOO_LARGE: 422, SUM_UNKNOWN: "Nothing was sold." },
      input: z.object({ since: z.date() }),
      output: z.object({ total: z.bigint(), last: z.date() }),
      run: () => ({ total: 1n, last: new Date(0) }),
    }),
    statistics: action({
      on: "collection",
      method: "GET",
      input: z.object({ least: z.int().optional() }),
      output: z.object({ count: z.int() }),
      run: () => ({ count: 1 }),
    }),
  }),
});

const tags = defineResource("tags", { schema: z.object({ id: z.string(), label: z.string() }), operations: ["list", "create", "replace"] });

const lines = defineResource("lines", {
  schema: z.object({ orderId: z.bigint(), line: z.int(), sku: z.string() }),
  id: ["orderId", "line"],
});

/** The collections of the service, for a declaration file that is made of them. */
export const collections = [users, orders, tags, lines];

declare const storage: Storage;
const makeService = () => createService({ resources: [users, orders, tags, lines], storage });
const makePlain = () => createService({ resources: [users, tags], storage });

export type Api = ReturnType<typeof makeService>;
export type PlainApi = ReturnType<typeof makePlain>;
export const open = () => createClient<Api>({ baseUrl: "http://a", reads: { orders: ["statistics"] } });
