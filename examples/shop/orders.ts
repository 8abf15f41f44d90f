import { ProblemError, problem } from "restwright";
import { z } from "zod";
import { orderTotal } from "./orderTotal.js";

const line = z.object({
  sku: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  quantity: z.int().min(1).max(1_000_000),
  price: z.number().min(0).max(1_000_000_000),
});

/** The fields of an order. With `lines` the total is their sum and may be left out. */
export const orderSchema = z
  .object({
    id: z.int(),
    customerId: z.int(),
    status: z.enum(["open", "paid", "void"]).default("open"),
    lines: z.array(line).max(1_000).optional(),
    total: z.number().min(0).optional(),
    currency: z.string().regex(/^[A-Z]{3}$/),
    note: z.string().max(1_000).nullable().default(null),
    tags: z.array(z.string().min(1).max(50)).max(50).default([]),
    createdAt: z.date(),
    // Orders that are older than the field have none.
    createdBy: z.string().optional(),
    cancelReason: z.string().max(1_000).optional(),
  })
  .refine(({ lines, total }) => lines !== undefined || total !== undefined, { path: ["total"], error: "Required; expected number." });

/** An order as it is kept. */
export type Order = z.output<typeof orderSchema>;

/** What the rules look at in a write. */
interface OrderWrite {
  readonly before: Readonly<Order> | undefined;
  readonly next: Readonly<Partial<Order>> | undefined;
  readonly changes: Readonly<Partial<Order>> | undefined;
  /** `action` if an action of the order writes it. */
  readonly way: string;
}

/**
 * The rules of an order, whichever way it is written: its total is the sum of its lines, and only the action `cancel` makes it void.
 *
 * @throws {ProblemError} TOTAL_MISMATCH; VALIDATION_FAILED for the status
 */
export function keepOrderRules({ before, next, changes, way }: OrderWrite): { readonly total: number } | undefined {
  if (before !== undefined && before.status !== "void" && changes?.status === "void" && way !== "action") refuseVoid();
  // Lines that a change removes leave the total as it is.
  if (next?.lines === undefined) return undefined;
  const total = orderTotal(next.lines);
  const sent = changes?.total;
  if (sent !== undefined && sent !== total) {
    const detail = `The total is ${sent}, but the sum of the lines is ${total}. Leave the total out, or send the sum.`;
    throw problem("TOTAL_MISMATCH", 422, detail, { errors: [{ pointer: "/total" }] });
  }
  return next.total === total ? undefined : { total };
}

function refuseVoid(): never {
  const detail = "An order becomes void by its action only: POST /orders/{id}/cancel with a reason.";
  throw new ProblemError("VALIDATION_FAILED", detail, { errors: [{ code: "INVALID_VALUE", detail, pointer: "/status" }] });
}

/** What `POST /orders/{id}/cancel` takes. */
export const cancelInput = z.object({ reason: z.string().min(1).max(1_000) });

/**
 * The changes that cancel an order. Of two that come at once the second finds the order void.
 *
 * @throws {ProblemError} ORDER_NOT_OPEN
 */
export function canceled({ status }: Pick<Order, "status">, { reason }: z.output<typeof cancelInput>) {
  if (status !== "open") throw problem("ORDER_NOT_OPEN", 409, `Only an open order can be canceled; this one is ${status}.`);
  return { status: "void", cancelReason: reason } as const;
}

/** What events of orders say. */
export const orderEvent = z.object({ orderId: z.int(), amount: z.number(), currency: z.string() });

/** The data of an order's events. The rules give each order a total. */
export function orderData({ id, total = 0, currency }: Pick<Order, "id" | "currency"> & { readonly total?: number | undefined }) {
  return { orderId: id, amount: total, currency };
}
