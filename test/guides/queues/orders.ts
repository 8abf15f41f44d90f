import { createService, defineResource, type Storage } from "restwright";
import { subscribers } from "restwright/subscribers";
import { z } from "zod";

/** The service of docs/guides/queues.md, which a test compares with the page. */
export function ordersOf(storage: Storage) {
  const orders = defineResource("orders", {
    schema: z.object({ id: z.int(), email: z.email() }),
    generated: { id: "increment" },
    events: { "order.created": { on: "create", data: ({ id, email }) => ({ orderId: id, email }) } },
  });

  const service = createService({ resources: [orders], storage, use: [subscribers()] });

  return service;
}
