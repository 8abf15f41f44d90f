import { jobOf } from "./calls/job.js";
import type { resourceCalls } from "./collection.js";
import type { CallOptions, WriteOptions } from "./options.js";
import { encode } from "./parameters.js";
import type { Outgoing, Send } from "./transport/transport.js";

/** The calls of webhooks: those of a collection, and their own. */
export function webhookCalls(send: Send, callsOf: typeof resourceCalls) {
  const { action, ...calls } = callsOf(send, "webhooks");
  const delivery = async (id: string, deliveryId: string, outgoing: Pick<Outgoing, "operation" | "method" | "options">, below = "") =>
    (await send({ ...outgoing, path: `/webhooks/${encode(id)}/deliveries/${encode(deliveryId)}${below}` })).value;
  return {
    ...calls,
    test: action("test", false),
    rotateSecret: action("rotate-secret", false),
    deliveries: action("deliveries", true),
    delivery: (id: string, deliveryId: string, options: CallOptions = {}) =>
      delivery(id, deliveryId, { operation: "webhooks.delivery", method: "GET", options }),
    replay: (id: string, deliveryId: string, options: WriteOptions = {}) =>
      delivery(id, deliveryId, { operation: "webhooks.replay", method: "POST", options }, "/replay"),
    async recover(id: string, input: object, options: WriteOptions = {}) {
      const job = (await action("recover", false)(id, input, options)) as { readonly id: string };
      return jobOf(send, "webhooks.recover", `/jobs/${encode(job.id)}`, options);
    },
  };
}
