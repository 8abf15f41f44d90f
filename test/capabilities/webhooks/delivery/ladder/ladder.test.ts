// @long

import { describe, expect, test } from "vitest";
import { verifyWebhook } from "../../../../../src/capabilities/webhooks/signing/verify.js";
import { day, hour, Ladder, minute, second } from "./ladderStage.js";

const baseMs = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, 24 * hour];
const failing = [{ status: 500 }];

describe.each([
  { random: 0, factor: 0.8 },
  { random: 0.5, factor: 1 },
  { random: 0.999, factor: 0.8 + 0.4 * 0.999 },
])("where chance says $random", ({ random, factor }) => {
  test("eight attempts are made, each to the millisecond, and no more", async () => {
    const ladder = new Ladder({ random: () => random });
    ladder.answers = failing;
    ladder.latencyMs = 7 * second;
    const secret = "a secret that was supplied";
    await ladder.listen({ secret });
    await ladder.emit();
    const { clock, receiver } = ladder;
    for (const [index, base] of baseMs.entries()) {
      expect(ladder.begun).toHaveLength(index + 1);
      await ladder.advance(ladder.latencyMs);
      const delayMs = Math.min(Math.round(base * factor), day);
      const { status, attemptCount, nextAttemptAt } = await ladder.delivery();
      expect({ status, attemptCount, dueInMs: Date.parse(nextAttemptAt ?? "") - clock.now() }).toEqual({
        status: "pending",
        attemptCount: index + 1,
        dueInMs: delayMs,
      });
      await ladder.advance(delayMs - 1);
      expect(ladder.begun).toHaveLength(index + 1);
      await ladder.advance(1);
    }
    await ladder.advance(ladder.latencyMs);
    const { status, nextAttemptAt, endedAt, attempts } = await ladder.delivery();
    expect({ status, nextAttemptAt, endedAt }).toEqual({ status: "dead", nextAttemptAt: null, endedAt: new Date(clock.now()).toISOString() });
    expect(attempts.map(({ n, startedAt, latencyMs }) => [n, Date.parse(startedAt), latencyMs])).toEqual(
      ladder.begun.map((at, index) => [index + 1, at, 7_000]),
    );
    await ladder.pass(13 * day, day);
    expect(receiver.received).toHaveLength(8);
    expect((await ladder.health()).consecutiveFailures).toBe(8);

    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    for (const [index, { headers, body }] of receiver.received.entries()) {
      const beganMs = ladder.begun[index] ?? 0;
      expect([headers["webhook-attempt"], headers["webhook-timestamp"]]).toEqual([String(index + 1), String(Math.floor(beganMs / 1_000))]);
      expect(body).toEqual(receiver.received[0]?.body);
      expect(verifyWebhook({ headers, rawBody: body, secrets: [secret], now: beganMs })).toMatchObject({ type: "report.ready" });
    }
    await ladder.service.close();
  });
});

test("deliveries that failed together come back apart, within a fifth of the schedule", async () => {
  const ladder = new Ladder({ random: Math.random });
  ladder.answers = failing;
  await ladder.listen();
  await ladder.emit(40);
  const due = (await ladder.deliveries()).map(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? "") - ladder.clock.now());
  expect(due).toHaveLength(40);
  expect(Math.min(...due)).toBeGreaterThanOrEqual(0.8 * minute);
  expect(Math.max(...due)).toBeLessThanOrEqual(1.2 * minute);
  expect(new Set(due).size).toBeGreaterThan(20);
  await ladder.service.close();
});

test("with the usual look every five seconds nothing is early, and nothing later than one and a quarter", { timeout: 300_000 }, async () => {
  const ladder = new Ladder({ random: Math.random, webhooks: { pollMs: 5_000 } });
  ladder.answers = failing;
  await ladder.listen();
  await ladder.emit();
  for (let attempt = 1; attempt <= 3; attempt++) {
    const due = Date.parse((await ladder.delivery()).nextAttemptAt ?? "");
    await ladder.pass(due - ladder.clock.now() + 2 * second, 250);
    const lateMs = (ladder.begun[attempt] ?? Number.NaN) - due;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThanOrEqual(1_250);
  }
  await ladder.service.close();
});

test("a schedule of the developer's own counts as it is written", async () => {
  const ladder = new Ladder({ webhooks: { scheduleMs: [10 * second, second] } });
  ladder.answers = failing;
  await ladder.listen();
  await ladder.emit();
  await ladder.pass(hour, second);
  expect(await ladder.delivery()).toMatchObject({ status: "dead", attemptCount: 2 });
  await ladder.service.close();
});
