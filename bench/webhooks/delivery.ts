/** Of all webhooks here. */
export const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

export const eventType = "order.created";

/** Data of an order as shops know it, about 600 bytes as JSON. */
export const eventData = {
  orderId: 4_711,
  amount: 129.9,
  currency: "EUR",
  customer: { id: 42, name: "Ada Lovelace", email: "ada@example.com", address: { city: "London", country: "United Kingdom" } },
  items: Array.from({ length: 5 }, (_, index) => ({
    sku: `SKU-${1_000 + index}`,
    name: `Article number ${index}`,
    quantity: index + 1,
    price: 12.99,
  })),
  note: "Leave it with the neighbours.",
};
