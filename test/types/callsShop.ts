import { belongsTo, createService, defineResource, hasMany, type Principal, type Resource, type Storage } from "restwright";
import { z } from "zod";

export const users = defineResource("users", {
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
  heavy: ["bio"],
  relations: { orders: hasMany("orders", "customerId") },
});

export const orders = defineResource("orders", {
  schema: z.object({
    id: z.bigint(),
    total: z.number(),
    status: z.enum(["open", "paid"]).default("open"),
    address: z.object({ city: z.string(), zip: z.string() }),
    note: z.string().nullable(),
    customerId: z.int(),
    ownerId: z.string(),
    number: z.string(),
    createdAt: z.date(),
  }),
  generated: { id: "increment", createdAt: "createdAt" },
  readOnly: ["number"],
  stamp: { ownerId: ({ principal }) => principal.id },
  scope: ({ principal, action }) => action === "read" || { ownerId: principal.id },
  compact: ["id", "total", "status"],
  filter: ["total", "status", "customerId", "address"],
  sort: ["total", "createdAt"],
  relations: { customer: belongsTo("users", "customerId") },
});

export const tags = defineResource("tags", { schema: z.object({ id: z.string(), label: z.string() }), operations: ["list", "create", "replace"] });

declare const storage: Storage;
declare const list: readonly Resource[];
export declare const principal: Principal;

export const open = () => {
  const service = createService({ resources: [users, orders, tags], storage });
  return { service, shop: service.as(principal), system: service.asSystem({ tenant: "acme" }) };
};
export const openList = () => createService({ resources: list, storage });
