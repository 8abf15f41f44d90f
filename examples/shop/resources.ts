import { belongsTo, defineResource, hasMany } from "restwright";
import { z } from "zod";
import { PaymentProvider } from "./provider.js";
import { ordersOf, usersOf } from "./scopes.js";
import { nameInParts } from "./versions.js";

/** Customers. Lists show the compact view; `bio` is shown only if a request names it, `ssn` only to admins, and `passwordHash` never. Clerks see those of their region. */
export const users = defineResource("users", {
  schema: z.object({
    id: z.int(),
    status: z.enum(["active", "inactive"]).default("active"),
    createdAt: z.date(),
    updatedAt: z.date(),
    name: z.string().min(1).max(200),
    email: z.email().max(254),
    preferences: z
      .object({ newsletter: z.boolean().default(false), locale: z.string().min(2).max(35).default("en") })
      .default({ newsletter: false, locale: "en" }),
    tags: z.array(z.string().min(1).max(50)).max(50).default([]),
    address: z.object({ city: z.string().max(100), country: z.string().max(100) }).optional(),
    region: z.string().min(1).max(50).optional(),
    bio: z.string().max(10_000).optional(),
    ssn: z.string().max(20).optional(),
    passwordHash: z.string().max(200).optional(),
  }),
  generated: { id: "increment", createdAt: "createdAt", updatedAt: "updatedAt" },
  unique: ["email"],
  scope: usersOf,
  accepts: ["json", "form", "multipart", "xml"],
  compact: ["id", "name", "email", "createdAt"],
  heavy: ["bio"],
  access: {
    ssn: { read: (principal) => principal.claims?.["role"] === "admin", onForbidden: "403" },
    passwordHash: { read: false },
  },
  relations: { orders: hasMany("orders", "customerId") },
  search: ["name", "email"],
  index: [["status", "createdAt"], "createdAt", "region"],
  versions: { v2: [nameInParts] },
});

/** The data of an order's events. */
function orderData({ id, total, currency }: { readonly id: number; readonly total: number; readonly currency: string }) {
  return { orderId: id, amount: total, currency };
}

/** Orders of customers, for those who may see the customer. An order is completed when it becomes paid; it may also be created as paid. */
export const orders = defineResource("orders", {
  schema: z.object({
    id: z.int(),
    customerId: z.int(),
    status: z.enum(["open", "paid", "void"]).default("open"),
    total: z.number().min(0),
    currency: z.string().regex(/^[A-Z]{3}$/),
    note: z.string().max(1_000).nullable().default(null),
    tags: z.array(z.string().min(1).max(50)).max(50).default([]),
    createdAt: z.date(),
    // Orders that are older than the field have none.
    createdBy: z.string().optional(),
  }),
  generated: { id: "increment", createdAt: "createdAt" },
  scope: ordersOf,
  stamp: { createdBy: ({ principal }) => principal.id },
  relations: { customer: belongsTo("users", "customerId", { filter: ["name", "email", "status"] }) },
  events: {
    "order.created": { on: "create", data: orderData },
    "order.completed": { on: ["create", "update"], when: ({ status }, before) => status === "paid" && before?.status !== "paid", data: orderData },
  },
  // An imported order keeps its date.
  import: { generated: ["createdAt"] },
  cache: { private: true, maxAge: 0, mustRevalidate: true },
  ranges: { minTotal: "total", createdFrom: "createdAt", createdTo: "createdAt" },
  search: ["note"],
  index: ["customerId", ["status", "createdAt"], "createdAt"],
});

/** The same for all tenants, and readable without credentials, so that caches may answer everybody. Admins change them; see `authorizeProducts` in credentials.ts. */
export const products = defineResource("products", {
  schema: z.object({
    id: z.int(),
    sku: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
    title: z.string().min(1).max(200),
    price: z.number().min(0),
    updatedAt: z.date(),
  }),
  generated: { id: "increment", updatedAt: "updatedAt" },
  unique: ["sku"],
  search: ["title"],
  anonymous: "read",
  cache: { public: true, maxAge: 60, sMaxAge: 300, staleWhileRevalidate: 30, shared: true },
});

const provider = new PaymentProvider();

/** Payments can be created and read, but not changed. The provider receives the operation id: a retry with the same Idempotency-Key does not charge twice. */
export const payments = defineResource("payments", {
  schema: z.object({
    id: z.int(),
    amount: z.number().positive(),
    currency: z.string().regex(/^[A-Z]{3}$/),
    status: z.enum(["pending", "succeeded"]).default("pending"),
    createdAt: z.date(),
  }),
  generated: { id: "increment", createdAt: "createdAt" },
  readOnly: ["status"],
  operations: ["list", "read", "create"],
  async create(_, { operationId, signal }) {
    const { status } = await provider.charge(operationId, signal);
    return { status };
  },
});
