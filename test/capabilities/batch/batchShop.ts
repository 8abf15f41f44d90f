import { belongsTo, defineResource, hasMany, type Principal, type Service } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { z } from "zod";
import { clientOf, type Received, type Sent } from "../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";

/** Numbered by the store, with a unique e-mail address and a field that only admins write. */
export const shopUsers = defineResource("users", {
  schema: z.object({
    id: z.int(),
    name: z.string().min(1),
    email: z.email().optional(),
    quantity: z.int().default(0),
    salary: z.number().optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
  generated: { id: "increment" },
  unique: ["email"],
  search: ["name"],
  access: { salary: { read: ({ id }) => id === "admin", write: ({ id }) => id === "admin", onForbidden: "403" } },
  relations: { orders: hasMany("orders", "userId") },
});

/** Below users, with ids of the service's making. */
export const shopOrders = defineResource("orders", {
  schema: z.object({ id: z.string(), userId: z.int(), total: z.number().default(0), note: z.string().optional() }),
  generated: { id: "ulid" },
  relations: { user: belongsTo("users", "userId", { enforce: false }) },
});

/** Clients name the ids: PUT creates. */
export const shopPages = defineResource("pages", {
  schema: z.object({ slug: z.string(), title: z.string() }),
  id: "slug",
});

/** A resource whose creates have an effect elsewhere; each effect stands in the list under its operation's id. */
export function chargesOf(effects: string[]) {
  return defineResource("charges", {
    schema: z.object({ id: z.int(), amount: z.number(), status: z.enum(["pending", "done"]).default("pending") }),
    generated: { id: "increment" },
    readOnly: ["status"],
    async create(_, { operationId }) {
      effects.push(operationId);
      return { status: "done" as const };
    },
  });
}

/** Resources without effects elsewhere. */
export const shopTables = [shopUsers, shopOrders, shopPages];

export const shopResources = [...shopTables, chargesOf([])];

const principals: Readonly<Record<string, Principal>> = {
  admin: { id: "admin", tenant: "a" },
  clerk: { id: "clerk", tenant: "a" },
  other: { id: "other", tenant: "b" },
};

/** Verifies the names above as tokens. */
export const shopAuth = [bearer((token) => principals[token])];

export const as = (name: string) => ({ authorization: `Bearer ${name}` });

export interface Shop {
  readonly service: Service;
  readonly send: ReturnType<typeof clientOf>;
  /** POST to `/batch`. */
  batch(operations: readonly unknown[], sent?: Partial<Sent>): Promise<Received>;
}

/** A service over the shop's resources and a fresh memory store unless given, and a client of it. */
export function openShop(options: Partial<FullServiceOptions> = {}): Shop {
  const service = fullService({ resources: shopResources, storage: memoryStorage(), ...options });
  const send = clientOf(service);
  return { service, send, batch: (operations, sent = {}) => send({ method: "POST", target: "/batch", body: { operations }, ...sent }) };
}

/** Statuses of the results of a batch. */
export function statusesOf({ json }: Received): number[] {
  return json.results.map(({ status }: { status: number }) => status);
}

/** Results of a batch by their status and the code of their problem. */
export function outcomesOf({ json }: Received): string[] {
  return json.results.map(({ status, error }: { status: number; error?: { code: string } }) => (error ? `${status} ${error.code}` : `${status}`));
}

/** Atomic, or best effort. */
export const strict = { prefer: "handling=strict" };
