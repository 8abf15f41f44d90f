import { z } from "zod";

/** Orders of a shop, as a list of them is queried. */
export const orderSchema = z.object({
  id: z.int(),
  customerId: z.int(),
  customerName: z.string(),
  email: z.email(),
  status: z.enum(["open", "paid", "shipped", "void"]),
  channel: z.enum(["web", "shop", "phone"]),
  currency: z.string(),
  total: z.number(),
  discount: z.number(),
  quantity: z.int(),
  weight: z.number(),
  paid: z.boolean(),
  note: z.string().nullable(),
  tags: z.array(z.string()),
  createdAt: z.date(),
  shippedAt: z.date().nullable(),
  address: z.object({ city: z.string(), country: z.string() }),
});
