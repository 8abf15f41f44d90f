import { createService, defineResource, type Storage, type Verifier } from "restwright";
import { type Transport, verifyWebhook, WebhookVerificationError, webhooks } from "restwright/webhooks";
import { z } from "zod";

/** The code of docs/guides/webhooks-both-sides.md, which a test compares with the page. */
export function sender(storage: Storage, auth: readonly Verifier[], transport: Transport) {
  const orders = defineResource("orders", {
    schema: z.object({ id: z.int(), total: z.number(), status: z.enum(["open", "paid"]).default("open") }),
    generated: { id: "increment" },
    events: {
      "order.paid": {
        on: ["create", "update"],
        when: (order, before) => order.status === "paid" && before?.status !== "paid",
        data: ({ id, total }) => ({ orderId: id, amount: total }),
      },
    },
  });

  const service = createService({ resources: [orders], storage, auth, use: [webhooks({ transport })] });

  return service;
}

export function receiver(secrets: readonly string[], markSeen: (id: string) => Promise<boolean>, work: (data: unknown) => Promise<void>) {
  return async (headers: Readonly<Record<string, string>>, rawBody: Uint8Array): Promise<number> => {
    try {
      const event = verifyWebhook({ headers, rawBody, secrets });
      if (await markSeen(event.id)) await work(event.data);
      return 204;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return error.status;
      throw error;
    }
  };
}
