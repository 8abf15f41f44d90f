import { ProblemError, type Service } from "restwright";
import type { SubscriberApi } from "restwright/subscribers";
import { z } from "zod";
import { receipts } from "./resources.js";

/** What an event says of an order. It may have been written by an older release, so it is validated. */
const completed = z.object({ orderId: z.int(), amount: z.number() });

/** An order has one receipt, however often it becomes paid and its event comes; and an order that was deleted meanwhile needs none. */
const isDone: ReadonlySet<string> = new Set(["DUPLICATE_ORDER_ID", "UNKNOWN_REFERENCE"]);

/** Writes the receipts of orders: after the commit of the order, and with retries until the receipt is written. */
export function writeReceipts(service: Service & SubscriberApi): void {
  void service.on("order.completed", { name: "write-receipts" }, async ({ id, tenant, data }) => {
    const { orderId, amount } = completed.parse(data);
    try {
      await service.asSystem({ tenant }).of(receipts).create({ orderId, amount, eventId: id });
    } catch (error) {
      if (!(error instanceof ProblemError && isDone.has(error.code))) throw error;
    }
  });
}
