/** What the programs of this folder send; each gets this file beside it. */
export const origin = process.env["SHOP"] ?? "";

export const newUser = () => ({ name: "Ada", email: `${crypto.randomUUID()}@example.com` });

export const newOrder = (customerId: number, total: number) => ({ customerId, total, currency: "EUR" });

/** A key for each write, the same in all its tries. */
export const key = () => ({ "Idempotency-Key": crypto.randomUUID() });

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

export const picture = () => new File([png], "a.png", { type: "image/png" });

export const mergePatch = { "Content-Type": "application/merge-patch+json" };

/** Reads an order, and changes another one that does not exist any more when it comes. */
export const operationsOf = (id: number) => [
  { method: "GET" as const, url: `/orders/${id}` },
  { method: "DELETE" as const, url: `/orders/${id}` },
];
