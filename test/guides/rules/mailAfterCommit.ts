import { createService, defineResource, type Storage, type Verifier } from "restwright";
import { subscribers } from "restwright/subscribers";
import { z } from "zod";

/** What the page takes as given. */
export interface Mailer {
  send(mail: { readonly to: string; readonly subject: string; readonly messageId: string }, options: { readonly signal: AbortSignal }): Promise<void>;
}

/** The code of docs/guides/mail-after-commit.md, which a test compares with the page. */
export async function mailAfterCommit(storage: Storage, auth: readonly Verifier[], mailer: Mailer) {
  const orders = defineResource("orders", {
    schema: z.object({ id: z.int(), email: z.email(), total: z.number().min(0) }),
    generated: { id: "increment" },
    events: { "order.created": { on: "create", data: ({ id, email }) => ({ orderId: id, email }) } },
  });

  const service = createService({ resources: [orders], storage, auth, use: [subscribers()] });

  service.on(
    "order.created",
    { name: "send-receipt", scheduleMs: [0, 1_000, 60_000, 3_600_000], timeoutMs: 20_000 },
    async ({ id, data: { orderId, email } }, { signal }) => {
      await mailer.send({ to: email, subject: `Your order ${orderId}`, messageId: `<${id}@shop.example>` }, { signal });
    },
  );

  return service;
}
