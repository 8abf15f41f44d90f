import { createService, defineResource, problem, type Storage, type Verifier } from "restwright";
import { z } from "zod";

/** What the page takes as given. */
export interface Provider {
  charge(order: {
    readonly cents: number;
    readonly card: string;
    readonly idempotencyKey: string;
    readonly signal: AbortSignal;
  }): Promise<{ readonly id: string; readonly status: "paid" | "declined" }>;
}

/** The code of docs/guides/payment.md, which a test compares with the page. */
export function payment(storage: Storage, auth: readonly Verifier[], provider: Provider) {
  const payments = defineResource("payments", {
    schema: z.object({ id: z.int(), cents: z.int().min(1), card: z.string().max(100), chargeId: z.string().optional() }),
    generated: { id: "increment" },
    access: { card: { read: false } },
    readOnly: ["chargeId"],
    operations: ["list", "read", "create"],
    requireIdempotencyKey: true,
    async create({ cents, card }, { operationId, signal }) {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
      const charge = await provider.charge({ cents, card, idempotencyKey: operationId, signal: limited }).catch((cause) => {
        throw problem("PROVIDER_TIMEOUT", 503, "The provider did not answer; send the request again with the same Idempotency-Key.", {
          headers: { "retry-after": "5" },
          cause,
        });
      });
      if (charge.status === "declined") throw problem("CARD_DECLINED", 402, "The card was declined.", { errors: [{ pointer: "/card" }] });
      return { chargeId: charge.id };
    },
  });

  const service = createService({ resources: [payments], storage, auth });

  return service;
}
