import { ProblemError } from "../problem/index.js";
import type { DeliveryStore } from "../storage/deliveries.js";

/** Tests of one webhook in a minute. */
const testsPerMinute = 5;
const minuteMs = 60_000;

/** Lets so many tests of a webhook through in a minute. */
export interface TestRoom {
  /** @throws {ProblemError} RATE_LIMITED */
  within<Answer>(webhook: string, nowMs: number, run: () => Promise<Answer>): Promise<Answer>;
}

/**
 * Counts what stands in the log, which all processes share, replays of tests included, and what is under way in this process and will stand there.
 *
 * @param type of the events that tests send
 */
export function testRoom(deliveries: DeliveryStore, type: string): TestRoom {
  const underWay = new Map<string, number>();
  const count = (webhook: string, change: 1 | -1) => {
    const now = (underWay.get(webhook) ?? 0) + change;
    if (now === 0) underWay.delete(webhook);
    else underWay.set(webhook, now);
    return now;
  };
  return {
    async within(webhook, nowMs, run) {
      const running = count(webhook, 1);
      try {
        const recent = await deliveries.list({ webhook, type, since: new Date(nowMs - minuteMs), limit: testsPerMinute });
        if (recent.length + running > testsPerMinute) throw rateLimited((recent.at(-1)?.createdAt.getTime() ?? nowMs) + minuteMs - nowMs);
        return await run();
      } finally {
        count(webhook, -1);
      }
    },
  };
}

function rateLimited(waitMs: number): ProblemError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new ProblemError("RATE_LIMITED", `A webhook may be tested ${testsPerMinute} times a minute; try again in ${seconds} seconds.`, {
    headers: { "retry-after": String(seconds) },
    extensions: { maximum: testsPerMinute },
  });
}
