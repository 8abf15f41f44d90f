import { belongsTo, type Collection, defineResource, hasMany, type Principal, type Resource, type Service, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { z } from "zod";
import { clientOf } from "../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";

const isAdmin = ({ id }: { readonly id: string }) => id === "admin";

/** Clients name the ids: PUT creates. */
export const companies = defineResource("companies", {
  schema: z.object({ id: z.string().regex(/^[a-z]+$/), name: z.string() }),
  relations: { users: hasMany("users", "companyId") },
});

/** Belongs to a company and to another user, or to none. */
export const users = defineResource("users", {
  schema: z.object({
    id: z.int(),
    name: z.string(),
    companyId: z.string().nullable().default(null),
    managerId: z.int().nullable().default(null),
    salary: z.number().optional(),
    bio: z.string().optional(),
  }),
  generated: { id: "increment" },
  heavy: ["bio"],
  access: { salary: { read: isAdmin } },
  relations: {
    company: belongsTo("companies", "companyId", { enforce: false }),
    manager: belongsTo("users", "managerId", { enforce: false }),
    reports: hasMany("users", "managerId"),
    orders: hasMany("orders", "customerId"),
    notes: hasMany("notes", "userId"),
  },
});

/** Two relations lead to users. */
export const orders = defineResource("orders", {
  schema: z.object({
    id: z.int(),
    customerId: z.int(),
    sellerId: z.int().optional(),
    status: z.enum(["open", "paid"]).default("open"),
    total: z.number().default(0),
  }),
  generated: { id: "increment" },
  compact: ["id", "status", "customerId"],
  relations: {
    customer: belongsTo("users", "customerId", { enforce: false }),
    seller: belongsTo("users", "sellerId", { enforce: false }),
    items: hasMany("items", "orderId"),
  },
});

/** Clients name the ids, and a repeated DELETE succeeds. */
export const items = defineResource("items", {
  schema: z.object({ id: z.string(), orderId: z.int(), title: z.string(), bio: z.string().optional() }),
  heavy: ["bio"],
  missingDelete: 204,
  relations: { order: belongsTo("orders", "orderId", { enforce: false }) },
});

/** Only admins may know whose they are. */
export const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), userId: z.int().optional(), text: z.string() }),
  generated: { id: "increment" },
  access: { userId: { read: isAdmin, onForbidden: "hide" } },
  relations: { user: belongsTo("users", "userId", { enforce: false }) },
});

export const relatedResources = [companies, users, orders, items, notes];

/** A call that reached the store. */
export interface StoreCall {
  /** `users.getMany` */
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The same store, which tells of every call to its collections. */
export function counting(storage: Storage): { readonly storage: Storage; readonly calls: StoreCall[] } {
  const calls: StoreCall[] = [];
  const watch = (collection: Collection, name: string) =>
    new Proxy(collection, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member, target);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => {
          calls.push({ name: `${name}.${String(member)}`, args });
          return value.apply(target, args);
        };
      },
    });
  return { calls, storage: { ...storage, collection: (model) => watch(storage.collection(model), model.name) } };
}

export interface Related {
  readonly service: Service;
  readonly send: ReturnType<typeof clientOf>;
  /** Names of the store calls that what is run causes. */
  callsOf(run: () => Promise<unknown>): Promise<string[]>;
  readonly calls: StoreCall[];
}

/** A service over related resources and a fresh store, and a client of it. */
export function setUpRelated(options: Partial<FullServiceOptions> = {}): Related {
  const { storage, calls } = counting(options.storage ?? memoryStorage());
  const service = fullService({ resources: relatedResources, ...options, storage });
  return {
    service,
    send: clientOf(service),
    calls,
    async callsOf(run) {
      const before = calls.length;
      await run();
      return calls.slice(before).map(({ name }) => name);
    },
  };
}

/** Creates rows through the service, in order; ids count from 1 where the store numbers. */
export async function create(
  send: Related["send"],
  collection: string,
  rows: readonly object[],
  headers: Record<string, string> = {},
): Promise<void> {
  for (const body of rows) {
    const { status, text } = await send({ method: "POST", target: `/${collection}`, body, headers });
    if (status !== 201) throw new Error(text);
  }
}

const principals: Record<string, Principal> = {
  admin: { id: "admin" },
  clerk: { id: "clerk" },
  other: { id: "other", tenant: "b" },
};

/** Verifies the names above as tokens. */
export const auth = [bearer((token) => principals[token])];

/** Headers of a request by one of them. */
export const as = (name: string) => ({ authorization: `Bearer ${name}`, "x-request-id": "r" });

/**
 * Companies a and b; users Ada (1) and Bob (2, whom Ada manages) of a, Cyd (3, whom Bob manages) of b; orders 1 to 3 of Ada, sold by Bob, 4 of Cyd,
 * 5 of a user who is gone; items x1 and x2 of order 1, y of order 4.
 */
export async function withRows(options: Partial<FullServiceOptions> = {}) {
  const related = setUpRelated(options);
  const headers = options.auth ? as("admin") : {};
  for (const [collection, rows] of Object.entries(initialRows)) await create(related.send, collection, rows, headers);
  return { ...related, get: getOf(related.send) };
}

const getOf = (send: Related["send"]) => async (target: string, name?: string) => (await send({ target, headers: name ? as(name) : {} })).json;

/** The same rows, in collections that are defined otherwise. */
export async function withRowsIn(redefined: readonly Resource[], options: Partial<FullServiceOptions> = {}) {
  const storage = memoryStorage();
  await withRows({ ...options, storage });
  const resources = relatedResources.map((each) => redefined.find(({ name }) => name === each.name) ?? each);
  const related = setUpRelated({ ...options, storage, resources });
  return { ...related, get: getOf(related.send) };
}

const initialRows = {
  companies: [
    { id: "a", name: "A" },
    { id: "b", name: "B" },
  ],
  users: [
    { name: "Ada", companyId: "a", salary: 9, bio: "long" },
    { name: "Bob", companyId: "a", managerId: 1 },
    { name: "Cyd", companyId: "b", managerId: 2 },
  ],
  orders: [
    { customerId: 1, sellerId: 2, total: 5 },
    { customerId: 1, sellerId: 2, total: 7, status: "paid" },
    { customerId: 1, sellerId: 2, total: 6 },
    { customerId: 3 },
    { customerId: 99 },
  ],
  items: [
    { id: "x2", orderId: 1, title: "X2", bio: "long" },
    { id: "x1", orderId: 1, title: "X1", bio: "long" },
    { id: "y", orderId: 4, title: "Y" },
  ],
};

/** What lists show of those rows to others than admins. */
export const company = { id: "a", name: "A" };
export const ada = { id: 1, name: "Ada", companyId: "a", managerId: null };
export const bob = { id: 2, name: "Bob", companyId: "a", managerId: 1 };
export const cyd = { id: 3, name: "Cyd", companyId: "b", managerId: 2 };
export const order = (id: number, customerId: number, status = "open") => ({ id, status, customerId });
export const item = (id: string) => ({ id, orderId: 1, title: id.toUpperCase() });

/** The ids of a list, in its order. */
export const idsOf = (json: { readonly data: readonly { readonly id: unknown }[] }) => json.data.map(({ id }) => id);
