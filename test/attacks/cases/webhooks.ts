import { type Attack, type Attacker, expectStatus } from "../attack.js";

const manyWebhooks = 100;

async function makeWebhooks(attacker: Attacker, more: object): Promise<void> {
  for (let made = 0; made < manyWebhooks; made++) {
    const body = JSON.stringify({ url: `https://hooks.example.com/${made}`, events: ["order.*"], ...more });
    expectStatus(await attacker.send("POST", "/webhooks", { body }), 201);
  }
}

const orders = (count: number, note: string) => JSON.stringify({ items: Array.from({ length: count }, (_, total) => ({ total, note })) });

const postOrders = (body: string, prefer: string) => async (attacker: Attacker) =>
  expectStatus(await attacker.send("POST", "/orders/batch", { body, headers: { prefer } }), 200);

const manyConditions = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`note${index}`, { like: "*a*a*a*a*" }]));

/** Events that many webhooks want. */
export const webhookAttacks: readonly Attack[] = [
  {
    name: "webhooks: 300 orders for 100 webhooks",
    prepare: (attacker) => makeWebhooks(attacker, {}),
    run: postOrders(orders(300, ""), "handling=strict"),
  },
  {
    name: "webhooks: 1,000 orders of 2 KB for 100 webhooks",
    prepare: (attacker) => makeWebhooks(attacker, {}),
    run: postOrders(orders(1_000, "n".repeat(2_000)), "return=minimal"),
  },
  {
    name: "webhooks: 1,000 orders of 2 KB for 100 webhooks, all or none",
    // One transaction of 100,000 deliveries: its commit is one call.
    measuredOnly: ["SQLite"],
    prepare: (attacker) => makeWebhooks(attacker, {}),
    run: postOrders(orders(1_000, "n".repeat(2_000)), "handling=strict, return=minimal"),
  },
  {
    name: "webhooks: 40 orders of 250 KB for 100 webhooks, all or none",
    // One transaction of 30 MB: SQLite copies its pages from the log into the file in one call.
    measuredOnly: ["SQLite"],
    prepare: (attacker) => makeWebhooks(attacker, {}),
    run: postOrders(orders(40, "n".repeat(250_000)), "handling=strict, return=minimal"),
  },
  {
    name: "webhooks: 1,000 orders of 10 KB and 100 filters that nothing passes",
    prepare: (attacker) => makeWebhooks(attacker, { filter: { note: { like: "*a*a*a*z*" }, total: { gte: 1_000_000 } } }),
    run: postOrders(orders(1_000, "a".repeat(10_000)), "return=minimal"),
  },
  {
    name: "webhooks: 100 webhooks of 20 conditions",
    prepare: (attacker) => makeWebhooks(attacker, { filter: manyConditions }),
    run: postOrders(orders(1_000, ""), "return=minimal"),
  },
  {
    name: "webhooks: 1,000 orders of 10 KB and 100 likes",
    prepare: (attacker) => makeWebhooks(attacker, { filter: { note: { like: "*a*a*a*z*" } } }),
    run: postOrders(orders(1_000, "a".repeat(10_000)), "return=minimal"),
  },
];
