import { belongsTo, defineResource, hasMany } from "restwright";
import { file } from "restwright/uploads";
import { z } from "zod";
import { canceled, cancelInput, keepOrderRules, orderData, orderEvent, orderSchema } from "./orders.js";
import { keepHash } from "./passwords.js";
import { PaymentProvider } from "./provider.js";
import { ordersOf, receiptsOf, usersOf } from "./scopes.js";
import { nameInParts } from "./versions.js";

/**
 * Customers. Lists show the compact view; `bio` is shown only if a request names it, and `ssn` only to admins. A `password` can be sent but never read: its hash is kept,
 * in a field that clients do not know. Clerks see those of their region.
 * The `avatar` is a picture that the same principal has uploaded.
 */
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
    avatar: file(["image/png", "image/jpeg", "image/webp"]).optional(),
    bio: z.string().max(10_000).optional(),
    ssn: z.string().max(20).optional(),
    password: z.string().min(8).max(200).optional(),
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
    password: { read: false },
    passwordHash: { read: false, write: false, onForbidden: "hide" },
  },
  hooks: { beforeWrite: keepHash },
  relations: { orders: hasMany("orders", "customerId") },
  search: ["name", "email"],
  index: [["status", "createdAt"], "createdAt", "region"],
  versions: { v2: [nameInParts] },
});

/** Orders of customers, for those who may see the customer. An order is completed when it becomes paid; it may also be created as paid. Its rules are in orders.ts. */
export const orders = defineResource("orders", {
  schema: orderSchema,
  generated: { id: "increment", createdAt: "createdAt" },
  scope: ordersOf,
  live: true,
  stamp: { createdBy: ({ principal }) => principal.id },
  readOnly: ["cancelReason"],
  hooks: { beforeWrite: keepOrderRules },
  actions: ({ action }) => ({
    cancel: action({
      on: "row",
      input: cancelInput,
      events: ["order.canceled"],
      problems: { ORDER_NOT_OPEN: 409 },
      async run({ row, input, emit }) {
        const changes = canceled(row, input);
        await emit("order.canceled", { ...orderData(row), reason: input.reason });
        return changes;
      },
    }),
  }),
  relations: { customer: belongsTo("users", "customerId", { filter: ["name", "email", "status"] }) },
  events: {
    "order.created": { on: "create", data: orderData, schema: orderEvent },
    "order.completed": {
      on: ["create", "update"],
      when: ({ status }, before) => status === "paid" && before?.status !== "paid",
      data: orderData,
      schema: orderEvent,
    },
  },
  // An imported order keeps its date.
  import: { generated: ["createdAt"] },
  cache: { private: true, maxAge: 0, mustRevalidate: true },
  ranges: { minTotal: "total", createdFrom: "createdAt", createdTo: "createdAt" },
  search: ["note"],
  index: ["customerId", ["status", "createdAt"], "createdAt"],
});

/** One for each order that was ever paid, with the amount of then. receipts.ts writes them; clients can only read them. They go with their order. */
export const receipts = defineResource("receipts", {
  schema: z.object({ id: z.int(), orderId: z.int(), amount: z.number().min(0), eventId: z.string().min(1), createdAt: z.date() }),
  generated: { id: "increment", createdAt: "createdAt" },
  unique: ["orderId"],
  operations: ["list", "read"],
  scope: receiptsOf,
  relations: { order: belongsTo("orders", "orderId", { onDelete: "cascade" }) },
  cache: { private: true, maxAge: 0, mustRevalidate: true },
  index: ["createdAt"],
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
