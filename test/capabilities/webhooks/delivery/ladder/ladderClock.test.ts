import { describe, expect, test } from "vitest";
import { FakeClock } from "../../../../../src/testing/clock.js";
import { hour, Ladder, minute, second } from "./ladderStage.js";

const jumps = [
  { jump: "an hour ahead", jumpMs: hour },
  { jump: "an hour back", jumpMs: -hour },
];

/** The time of day jumps; the store's own, by which leases and waits go, does not. */
function setUp() {
  const clock = new FakeClock();
  const wall = {
    aheadMs: 0,
    now: () => clock.now() + wall.aheadMs,
  };
  return { clock, wall, ladder: new Ladder({ clock, wall }) };
}

describe.each(jumps)("a clock that jumps $jump", ({ jumpMs }) => {
  test("between two attempts changes their stamps, not the wait", async () => {
    const { clock, wall, ladder } = setUp();
    ladder.answers = [{ status: 500 }];
    await ladder.listen();
    await ladder.emit();
    wall.aheadMs = jumpMs;
    await ladder.advance(minute - 1);
    expect(ladder.begun).toHaveLength(1);
    await ladder.advance(1);
    expect(ladder.begun).toHaveLength(2);
    const stamps = ladder.receiver.received.map(({ headers }) => Number(headers["webhook-timestamp"]) * 1_000);
    expect(stamps).toEqual([clock.now() - minute, clock.now() + jumpMs]);
    await ladder.service.close();
  });

  test("during an attempt makes neither a negative wait nor a long one", async () => {
    const { wall, ladder } = setUp();
    ladder.answers = [{ status: 503, retryAfter: "90" }];
    ladder.latencyMs = 10 * second;
    await ladder.listen();
    await ladder.emit();
    await ladder.advance(5 * second);
    wall.aheadMs = jumpMs;
    await ladder.advance(5 * second);
    expect(await ladder.delivery()).toMatchObject({ status: "pending", attempts: [{ status: 503, latencyMs: 10_000 }] });
    await ladder.advance(90 * second - 1);
    expect(ladder.begun).toHaveLength(1);
    await ladder.advance(1);
    expect(ladder.begun).toHaveLength(2);
    await ladder.advance(10 * second);
    await ladder.service.close();
  });

  test("does not end a lease, nor keep a dead worker's", async () => {
    const { clock, wall, ladder } = setUp();
    const { storage } = ladder;
    const answers = [new Promise<never>(() => {}), { status: 200 }] as const;
    let asked = 0;
    const webhook = await ladder.listen();
    ladder.receiver.answer = () => answers[asked++] ?? { status: 200 };
    await ladder.emit();
    wall.aheadMs = jumpMs;
    const other = new Ladder({ clock, wall, storage });
    await other.service.start();
    await other.advance(75 * second - 1);
    expect(other.begun).toEqual([]);
    await other.advance(1);
    expect([asked + other.begun.length, (await ladder.deliveries(webhook)).map(({ status }) => status)]).toEqual([2, ["succeeded"]]);
    expect(await ladder.delivery()).toMatchObject({
      attempts: [
        { n: 1, interrupted: true },
        { n: 2, status: 200, interrupted: false },
      ],
    });
  });

  test("for the store too makes what waits late by that at most, or sends once more what was under way", async () => {
    const { clock, ladder } = setUp();
    ladder.answers = [{ status: 500 }, { status: 200 }];
    await ladder.listen();
    await ladder.emit();
    clock.advance(jumpMs);
    await ladder.settle();
    await ladder.pass(hour + minute, minute);
    const { status, attemptCount } = await ladder.delivery();
    expect(status).toBe("succeeded");
    expect(attemptCount).toBeLessThanOrEqual(3);
    await ladder.service.close();
  });
});
