import { belongsTo, createService, defineResource, problem } from "restwright";
import { actions } from "restwright/actions";
import { ApiError, attempt, createClient } from "restwright/client";
import { memoryStorage } from "restwright/memory";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const older = defineResource("orders", {
  schema: z.object({ id: z.int(), total: z.number(), status: z.enum(["open", "paid"]).default("open") }),
  generated: { id: "increment" },
  actions: ({ action }) => ({ cancel: action({ on: "row", run: () => ({ status: "open" }) }) }),
});
const openOlder = () => createService({ resources: [older], storage: memoryStorage(), use: [actions()] });

/** The same service a year later: with a further field, a further value, a relation, and an action that may refuse. */
const newer = defineResource("orders", {
  schema: z.object({
    id: z.int(),
    total: z.number(),
    status: z.enum(["open", "paid", "void"]).default("void"),
    currency: z.string().default("EUR"),
    nextId: z.int().optional(),
  }),
  generated: { id: "increment" },
  relations: { next: belongsTo("orders", "nextId") },
  actions: ({ action }) => ({
    cancel: action({
      on: "row",
      problems: { ORDER_LOCKED: 409 },
      run: () => {
        throw problem("ORDER_LOCKED", 409, "The order is locked.");
      },
    }),
  }),
});

test("a client with older types reads rows with more members and problems with new codes of a newer service", async () => {
  const service = createService({ resources: [newer], storage: memoryStorage(), logger: false, use: [actions()] });
  onTestFinished(() => service.close());
  const shop = createClient<ReturnType<typeof openOlder>>({ baseUrl: "http://localhost", fetch: service.fetch });
  const made = await shop.orders.create({ total: 5 });
  expect(made).toEqual({ id: made.id, total: 5, status: "void", currency: "EUR" });
  expect((await shop.orders.list({ where: { total: { gte: 5 } } })).data).toEqual([made]);
  expect(await shop.orders.update(made.id, ({ total }) => ({ total: total + 1 }))).toMatchObject({ total: 6, currency: "EUR" });
  const refused = await attempt(shop.orders.cancel(made.id));
  if (refused.ok || !(refused.error instanceof ApiError)) throw new Error("The action has to refuse.");
  expect([refused.error.code, refused.error.status, refused.error.message]).toEqual(["ORDER_LOCKED", 409, "The order is locked."]);
});
