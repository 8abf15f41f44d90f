import { belongsTo, defineResource, hasMany, type Storage } from "restwright";
import { bearer } from "restwright/auth";
import { memoryBlobs } from "restwright/memory";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { clientOf, type Received } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";

/** Numbered by the store. */
const customers = defineResource("customers", {
  schema: z.object({ id: z.int(), name: z.string().default("") }),
  generated: { id: "increment" },
  relations: { orders: hasMany("orders", "customerId") },
});

/** Clients name the ids, so that PUT creates; every order has a customer, and may have another one as its seller. */
const orders = defineResource("orders", {
  schema: z.object({ id: z.string(), customerId: z.int(), sellerId: z.int().nullable().default(null), total: z.number().default(0) }),
  relations: { customer: belongsTo("customers", "customerId"), seller: belongsTo("customers", "sellerId") },
  index: ["customerId"],
});

/** Lead to one another. */
const places = defineResource("places", {
  schema: z.object({ id: z.string(), parent: z.string().nullable().default(null), code: z.string().optional() }),
  unique: ["code"],
  relations: { above: belongsTo("places", "parent") },
});

export const resources = [customers, orders, places];

const tenants: Readonly<Record<string, string>> = { mine: "a", theirs: "b" };

/** Requests of the tenant `a`, unless `theirs` is asked for. */
export const as = (name: string) => ({ authorization: `Bearer ${name}` });

/** A service over customers 1 and 2, order `o` of the first, and customer 3 of another tenant; and a client of it. */
export async function openReferences(storage: Storage, options: Partial<FullServiceOptions> = {}) {
  const auth = [bearer((token) => ({ id: token, tenant: tenants[token] ?? "a" }))];
  const service = fullService({ resources, storage, auth, blobs: memoryBlobs(), jobs: { pollMs: 20 }, ...options });
  onTestFinished(() => service.close());
  const client = clientOf(service);
  const send = (method: string, target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Received> =>
    client({ method, target, headers: { ...as("mine"), ...headers }, ...(body === undefined ? {} : { body }) });
  const idOf = async (name: string, headers = {}) => (await send("POST", "/customers", { name }, headers)).json.id as number;
  const [first, second, foreign] = [await idOf("first"), await idOf("second"), await idOf("foreign", as("theirs"))];
  await send("POST", "/orders", { id: "o", customerId: first });
  return { service, send, first, second, foreign };
}

/** Every order whose customer does not exist. */
export async function orphans(send: Awaited<ReturnType<typeof openReferences>>["send"]): Promise<unknown[]> {
  const rows = async (name: string): Promise<readonly Record<string, unknown>[]> =>
    JSON.parse((await send("GET", `/${name}/export?format=json`)).text) as Record<string, unknown>[];
  const known = new Set((await rows("customers")).map(({ id }) => id));
  const named = (await rows("orders")).flatMap(({ id, customerId, sellerId }) => [
    { id, key: customerId },
    { id, key: sellerId },
  ]);
  return named.filter(({ key }) => key !== null && key !== undefined && !known.has(key));
}
