import { ProblemError } from "../../../ground/problem/index.js";
import type { DeliveryStore } from "../../../ground/storage/queue/deliveries.js";
import type { Webhook } from "../../../ground/storage/queue/webhooks.js";

/** The most tests in a minute: of one webhook, and of all webhooks of a tenant. */
const [maxPerWebhook, maxPerTenant] = [5, 20];
const minuteMs = 60_000;

/** Limits the tests of a webhook and of a tenant in a minute. */
export interface TestLimiter {
  /** @throws {ProblemError} RATE_LIMITED */
  within<Answer>(webhook: Webhook, nowMs: number, run: () => Promise<Answer>): Promise<Answer>;
}

/**
 * Counts the attempts in the log, which all processes share, and those that run in this process. Replays of tests count for
 * their webhook, too.
 *
 * @param type the type of test events
 */
export function testLimiter(deliveries: DeliveryStore, type: string): TestLimiter {
  const underWay = new Map<string, number>();
  const count = (name: string, change: 1 | -1) => {
    const now = (underWay.get(name) ?? 0) + change;
    if (now === 0) underWay.delete(name);
    else underWay.set(name, now);
    return now;
  };
  return {
    async within({ id: webhook, tenant }, nowMs, run) {
      const names = [`webhook ${webhook}`, `tenant ${tenant ?? ""}`] as const;
      const [ofWebhook, ofTenant] = [count(names[0], 1), count(names[1], 1)];
      const since = new Date(nowMs - minuteMs);
      // Tests that are later than that are of a clock that was set back, and must not count until it has caught up.
      const until = new Date(nowMs + minuteMs);
      try {
        const recent = await deliveries.list({ webhook, type, since, until, limit: maxPerWebhook });
        const times = recent.map(({ createdAt }) => createdAt);
        if (times.length + ofWebhook > maxPerWebhook) throw rateLimited("A webhook", maxPerWebhook, times, nowMs);
        const all = (await deliveries.testTimes(tenant, since, maxPerTenant)).filter((time) => time < until);
        if (all.length + ofTenant > maxPerTenant) throw rateLimited("The webhooks of a tenant", maxPerTenant, all, nowMs);
        return await run();
      } finally {
        for (const name of names) count(name, -1);
      }
    },
  };
}

function rateLimited(what: string, maximum: number, times: readonly Date[], nowMs: number): ProblemError {
  const waitMs = (times.at(-1)?.getTime() ?? nowMs) + minuteMs - nowMs;
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ProblemError("RATE_LIMITED", `${what} may be tested ${maximum} times a minute; try again in ${seconds} seconds.`, {
    headers: { "retry-after": String(seconds) },
    extensions: { maximum },
  });
}
