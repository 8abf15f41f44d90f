import { createService, defineResource, problem, type Storage, type Verifier } from "restwright";
import { hooks } from "restwright/hooks";
import { z } from "zod";

/** The code of docs/guides/order-total.md, which a test compares with the page. */
export function orderTotal(storage: Storage, auth: readonly Verifier[]) {
  const line = z.object({ sku: z.string(), quantity: z.int().min(1).max(10_000), cents: z.int().min(0).max(100_000_000) });

  const orders = defineResource("orders", {
    schema: z.object({ id: z.int(), lines: z.array(line).min(1).max(1_000), totalCents: z.int().optional() }),
    generated: { id: "increment" },
    hooks: {
      beforeWrite({ kind, next, changes }) {
        if (kind === "remove") return undefined;
        const totalCents = next.lines.reduce((sum, { quantity, cents }) => sum + quantity * cents, 0);
        if (changes.totalCents !== undefined && changes.totalCents !== totalCents) {
          throw problem("TOTAL_MISMATCH", 422, `The lines add up to ${totalCents}.`, { errors: [{ pointer: "/totalCents" }] });
        }
        return { totalCents };
      },
    },
  });

  const service = createService({ resources: [orders], storage, auth, use: [hooks()] });

  return service;
}
