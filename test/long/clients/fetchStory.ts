import { randomUUID } from "node:crypto";

/** A picture of one pixel. */
export const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

/** The story, told by `fetch` to a proxy that compares each request and each answer with the document. Returns the answers that the shop does not give, which are the proxy's. */
export async function tellStory(origin: string): Promise<readonly string[]> {
  const objections: string[] = [];

  async function send(method: string, target: string, expected: number, init: RequestInit = {}) {
    const response = await fetch(`${origin}${target}`, { method, ...init });
    const text = await response.text();
    if (response.status !== expected) objections.push(`${method} ${target}: ${response.status} ${text.slice(0, 1_000)}`);
    return { tag: response.headers.get("etag") ?? "", row: response.status === expected && text !== "" ? JSON.parse(text) : {} };
  }

  const json = (body: object, headers: Readonly<Record<string, string>> = {}) => ({
    body: JSON.stringify(body),
    headers: { "content-type": "application/json", "idempotency-key": randomUUID(), ...headers },
  });

  const { row: user } = await send("POST", "/users", 201, json({ name: "Ada", email: `${randomUUID()}@example.com` }));
  const order = { customerId: user.id, total: 12.5, currency: "EUR", status: "open" };
  const { row } = await send("POST", "/orders", 201, json(order));
  await send("POST", "/orders", 201, json({ ...order, total: 5 }));
  const at = `/orders/${row.id}`;
  await send("GET", `/orders?customerId=${user.id}&total[gte]=10&status=open&sort=-createdAt,id&include=customer&perPage=5`, 200);
  await send("GET", "/orders?createdAt[gte]=2026-01-31&sort=-createdAt&sort=id", 200);
  await send("GET", `/users?id[in]=${user.id},7&fields=id,name&q=Ada`, 200);
  const { tag } = await send("GET", at, 200);
  await send("GET", at, 304, { headers: { "if-none-match": tag } });
  const patch = (note: string) => json({ note }, { "content-type": "application/merge-patch+json", "if-match": tag });
  await send("PATCH", at, 200, patch("gift"));
  await send("PATCH", at, 412, patch("late"));
  const form = new FormData();
  form.set("avatar", new File([png], "a.png", { type: "image/png" }));
  await send("POST", "/avatars", 201, { body: form });
  await send(
    "POST",
    "/batch",
    200,
    json({
      operations: [
        { method: "GET", url: at },
        { method: "DELETE", url: at },
      ],
    }),
  );
  return objections;
}
