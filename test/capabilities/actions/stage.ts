import { belongsTo, createService, defineResource, hasMany, problem, type Resource, type ServiceOptions, type Storage } from "restwright";
import { actions, respond } from "restwright/actions";
import { bearer } from "restwright/auth";
import { batch } from "restwright/batch";
import { z } from "zod";
import { clientOf, type Received } from "../../tools/client.js";

/** What an action is called with. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into everything that an action gets
export type Given = any;

type Run = (given: Given) => unknown;

/** Makes actions: the option `actions` is typed by another file. */
export type Tools = { readonly action: (options: Readonly<Record<string, unknown>>) => unknown };

const principals = { ann: { id: "ann" }, bob: { id: "bob" }, root: { id: "root", claims: { role: "admin" } } };

export type Person = keyof typeof principals;

/** A resource with actions, from options that TypeScript cannot check here. */
export function withActions(name: string, options: object): Resource {
  return defineResource(name, options as never) as unknown as Resource;
}

export const ordersSchema = z.object({
  id: z.int(),
  ownerId: z.string(),
  customerId: z.int().nullable(),
  status: z.enum(["open", "cancelled", "shipped"]),
  reason: z.string().nullable(),
  total: z.int(),
  dueAt: z.date().optional(),
});

/** Actions that the tests share; `seen` has what each was called with. */
export function orderActions(seen: Given[] = []) {
  const run =
    (does: Run): Run =>
    (given) => {
      seen.push(given);
      return does(given);
    };
  return ({ action }: Tools) => ({
    cancel: action({
      on: "row",
      input: z.object({ reason: z.string().min(2), at: z.date().optional() }),
      problems: ["ORDER_CLOSED"],
      batch: true,
      run: run(({ row, input }) => {
        if (row.status !== "open") throw problem("ORDER_CLOSED", 409, "The order is not open.");
        return { status: "cancelled", reason: input.reason };
      }),
    }),
    touch: action({ on: "row", run: run(() => undefined) }),
    give: action({ on: "row", input: z.object({ to: z.string() }), run: run(({ input }) => ({ ownerId: input.to })) }),
    quote: action({
      on: "row",
      output: z.object({ price: z.int() }),
      run: run(({ row }) => respond({ price: row.total, secret: "left out" }, { status: 201, headers: { "x-quote": "1" } })),
    }),
    summary: action({ on: "row", method: "GET", run: run(({ row }) => respond({ id: row.id, twice: row.total * 2 })) }),
    statistics: action({
      on: "collection",
      method: "GET",
      input: z.object({ least: z.int().optional(), status: z.array(z.string()).optional(), exact: z.boolean().default(false) }),
      run: run(async ({ input, tx }) => ({ count: await tx.orders.count({ where: { total: { gte: input.least ?? 0 } } }), input })),
    }),
    close: action({
      on: "collection",
      input: z.object({ below: z.int() }),
      run: run(async ({ input, tx }) => {
        const { data } = await tx.orders.list({ where: { total: { lt: input.below }, status: "open" } });
        for (const { id } of data) await tx.orders.update(id, { status: "shipped" });
        return { closed: data.length };
      }),
    }),
    clear: action({ on: "collection", run: run(() => undefined) }),
  });
}

/** Orders with actions, of owners and customers. */
export function orderResources(seen: Given[] = [], more: Readonly<Record<string, unknown>> = {}): readonly Resource[] {
  const orders = withActions("orders", {
    schema: ordersSchema,
    generated: { id: "increment" },
    relations: { customer: belongsTo("customers", "customerId") },
    actions: orderActions(seen),
    ...more,
  });
  const customers = withActions("customers", {
    schema: z.object({ id: z.int(), name: z.string() }),
    generated: { id: "increment" },
    relations: { orders: hasMany("orders", "customerId") },
  });
  return [orders, customers];
}

/** A scope: each person their own rows, and nobody may cancel what is worth more than 1,000. */
export const ownRows = ({ principal, action, when }: Given) => {
  if (principal.claims?.role === "admin") return true;
  if (action === "cancel" && when === "before") return { ownerId: principal.id, total: { lte: 1_000 } };
  return { ownerId: principal.id };
};

/** Sends a request as a person. */
export type Send = (method: string, target: string, body?: unknown, headers?: Readonly<Record<string, string>>, who?: Person) => Promise<Received>;

/** A service with actions, and ways to ask it. */
export function actionService(storage: Storage, resources: readonly Resource[], options: Partial<ServiceOptions> = {}) {
  const service = createService({
    resources: [...resources],
    storage,
    logger: false,
    auth: [bearer((token) => principals[token as Person])],
    use: [actions(), batch()],
    ...options,
  });
  const client = clientOf(service);
  const send: Send = (method, target, body, headers = {}, who = "ann") =>
    client({ method, target, body, headers: { authorization: `Bearer ${who}`, ...headers } });
  const add = async (order: Readonly<Record<string, unknown>> = {}): Promise<number> =>
    (await send("POST", "/orders", { ownerId: "ann", customerId: null, status: "open", reason: null, total: 5, ...order }, {}, "root")).json.id;
  return { service, send, add };
}
