import {
  belongsTo,
  createService,
  defineResource,
  hasMany,
  type Principal,
  type Resource,
  type Service,
  type ServiceOptions,
  type Storage,
} from "restwright";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { CollectionCalls } from "../../../src/engine/calls/index.js";

export const users = defineResource("users", {
  schema: z.object({
    id: z.int(),
    name: z.string().min(1),
    email: z.email().optional(),
    role: z.string().default("member"),
    salary: z.number().optional(),
    password: z.string().optional(),
    createdAt: z.date(),
  }),
  generated: { id: "increment", createdAt: "createdAt" },
  readOnly: ["role"],
  unique: ["email"],
  search: ["name"],
  access: {
    salary: { read: ({ claims }) => claims?.["role"] === "admin", write: ({ claims }) => claims?.["role"] === "admin" },
    password: { read: false },
  },
  relations: { orders: hasMany("orders", "userId") },
});

export const orders = defineResource("orders", {
  schema: z.object({
    id: z.int(),
    userId: z.int(),
    cents: z.bigint(),
    due: z.date().optional(),
    paidAt: z.iso.datetime().optional(),
    note: z.string().nullable().default(null),
    lines: z.array(z.object({ sku: z.string(), sold: z.date(), grams: z.bigint().optional() })).default([]),
    address: z.object({ city: z.string(), zip: z.string().optional() }).optional(),
    photo: z.string().optional(),
    updatedAt: z.date(),
  }),
  generated: { id: "increment", updatedAt: "updatedAt" },
  heavy: ["photo"],
  relations: { user: belongsTo("users", "userId", { filter: ["name"] }) },
});

/** Rows whose ids the client chooses, which can be neither patched nor removed, and are guarded. */
export const pages = defineResource("pages", {
  schema: z.object({ slug: z.string(), title: z.string(), views: z.int().default(0) }),
  id: "slug",
  missingDelete: 204,
});

/** Rows that are changed only by who has seen them. */
export const guarded = defineResource("guarded", {
  schema: z.object({ id: z.string(), n: z.int() }),
  generated: { id: "ulid" },
  requireIfMatch: true,
});

/** Rows that are only read. */
export const logs = defineResource("logs", { schema: z.object({ id: z.int(), text: z.string() }), operations: ["list", "read"] });

export const resources = [users, orders, pages, guarded, logs];

export const stores: readonly [string, () => Storage][] = [
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
];

export const ada: Principal = { id: "ada" };
export const admin: Principal = { id: "root", claims: { role: "admin" } };

/** The service as JavaScript sees it: what calls do with wrong arguments is tested too. */
export interface PlainService extends Pick<Service, "handle" | "start" | "close" | "fetch"> {
  as(principal: Principal): PlainShop;
  asSystem(options?: object): PlainShop;
  transaction<R>(principal: Principal, run: (tx: PlainTransaction) => Promise<R>): Promise<R>;
}

export interface PlainShop {
  of(resource: Resource): CollectionCalls;
  transaction<R>(run: (tx: PlainTransaction) => Promise<R>): Promise<R>;
}

export interface PlainTransaction extends PlainShop {
  as(principal: Principal): PlainShop;
  asSystem(options?: object): PlainShop;
}

/** A service of these resources, which is closed at the end of the test. */
export function openShop(storage: Storage, options: Partial<ServiceOptions> = {}): PlainService {
  const service = createService({ resources, storage, logger: false, ...options }) as unknown as PlainService;
  onTestFinished(() => service.close({ graceMs: 0 }));
  return service;
}

/** The calls that stand at a member. */
export function member(shop: object, name: string): CollectionCalls {
  return Reflect.get(shop, name) as CollectionCalls;
}
