import type { SqlExecutor } from "../../../../../adapters/stores/sql/engine/executor.js";
import type { DeliveryStore } from "../../../../../src/ground/storage/queue/deliveries.js";
import type { NewWebhook, WebhookStore } from "../../../../../src/ground/storage/queue/webhooks.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";

export const claimRequest = { leaseMs: 60_000, max: 100, maxPerWebhook: 5 } as const;
export const busyWebhook = "busy";
const others = Array.from({ length: 20 }, (_, index) => `other ${index}`);
const few = 300;
const rounds = 10;
/** On a busy machine it takes more rounds until one claim is not held up by other processes. */
const maxRounds = 100;

/** What the fastest claim may take with many deliveries waiting, if the fastest with 300 took so long: the time does not grow with them. */
export const maxManyMs = (fewMs: number): number => fewMs * 8 + 20;

/** What claims were like beside a webhook for which much waits. */
export interface ClaimTimes {
  /** The fastest claim with 300 deliveries waiting, in milliseconds. */
  readonly fewMs: number;
  readonly manyMs: number;
  /** Claims that gave the busy webhook other than five deliveries, or one of the others other than one. */
  readonly unfair: number;
}

/** How long a claim takes with 300 deliveries of one webhook waiting, and with many more, while twenty others get one each. */
export async function measureClaims(storage: Storage, executor: SqlExecutor, waiting: number): Promise<ClaimTimes> {
  const { deliveries, webhooks } = webhookStoresOf(storage);
  const write = (text: string) => executor.query({ text, values: [], writes: true, returns: "none" });
  for (const id of [busyWebhook, ...others]) await webhooks.create(webhookNamed(id));
  await deliveries.enqueue([eventNamed("first", [busyWebhook])]);
  await write(copies(executor.dialect, "few", few));
  const before = await measure(deliveries, "few");
  await write(copies(executor.dialect, "many", waiting));
  // Not the whole database: other tests drop their tables at the same time.
  await write('analyze "_restwright_deliveries"');
  const after = await measure(deliveries, "many", maxManyMs(before.leastMs));
  return { fewMs: before.leastMs, manyMs: after.leastMs, unfair: before.unfair + after.unfair };
}

/** @throws {Error} where the storage has no webhooks */
export function webhookStoresOf({ deliveries, webhooks, name }: Storage): { readonly deliveries: DeliveryStore; readonly webhooks: WebhookStore } {
  if (deliveries === undefined || webhooks === undefined) throw new Error(`${name} has no webhooks.`);
  return { deliveries, webhooks };
}

export function webhookNamed(id: string): NewWebhook {
  return { id, tenant: "acme", owner: "ada", url: "https://example.com/", events: ["*"], secret: "sealed", secretHint: "…a1b2" };
}

/** An event and a delivery of it to each of some webhooks. */
export function eventNamed(id: string, webhooks: readonly string[]) {
  const deliveries = webhooks.map((one) => ({ id: `${id} ${one}`, webhook: one }));
  return { id, type: "order.created", tenant: "acme", createdAt: new Date(0), body: Buffer.from("{}"), deliveries };
}

/** Measures ten claims, and more as long as none is as fast as it must be. */
async function measure(
  deliveries: DeliveryStore,
  round: string,
  maxMs = Number.POSITIVE_INFINITY,
): Promise<{ readonly leastMs: number; readonly unfair: number }> {
  let [leastMs, unfair] = [Number.POSITIVE_INFINITY, 0];
  for (let index = 0; index < rounds || (leastMs >= maxMs && index < maxRounds); index++) {
    await deliveries.enqueue([eventNamed(`${round} ${index}`, others)]);
    const begunMs = performance.now();
    const claimed = await deliveries.claim(claimRequest);
    leastMs = Math.min(leastMs, performance.now() - begunMs);
    const countOf = (id: string) => claimed.filter(({ webhook }) => webhook.id === id).length;
    if (countOf(busyWebhook) !== claimRequest.maxPerWebhook || others.some((id) => countOf(id) !== 1)) unfair += 1;
    for (const { lease } of claimed) await deliveries.record(lease, { next: { state: "succeeded" }, failures: "reset" });
  }
  return { leastMs, unfair };
}

/** Copies of the first delivery of the busy webhook, all as old as it. */
function copies(dialect: SqlExecutor["dialect"], name: string, count: number): string {
  const columns = `"event", "type", "webhook", "tenant", "trigger", "state", "attempts", "fence", "due", "created", "claimed"`;
  const numbers =
    dialect === "sqlite"
      ? `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`
      : `with n(i) as (select generate_series(1, ${count}))`;
  const state = `case when "ended" is null then "state" else 'pending' end`;
  const from = `from "_restwright_deliveries", n where "id" = 'first ${busyWebhook}'`;
  const into = `insert into "_restwright_deliveries" ("id", ${columns})`;
  return `${into} ${numbers} select '${name} copy ' || i, ${columns.replace(`"state"`, state)} ${from}`;
}
