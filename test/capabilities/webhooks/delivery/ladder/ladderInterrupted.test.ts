import { describe, expect, test } from "vitest";
import { day, hour, Ladder, minute } from "./ladderStage.js";

/** A ladder whose first delivery was claimed so often by processes that died. */
async function interrupted(times: number): Promise<Ladder> {
  const ladder = new Ladder();
  await ladder.listen();
  const { storage, clock } = ladder;
  // On a storage that is given nobody is woken.
  await ladder.service.emit({ type: "report.ready", data: {} }, storage);
  for (let count = 0; count < times; count++) {
    expect(await storage.deliveries?.claim({ leaseMs: 1_000, max: 1, maxPerWebhook: 5 })).toHaveLength(1);
    clock.advance(1_001);
  }
  return ladder;
}

describe("attempts that a crash interrupted", () => {
  test("do not use up the schedule", async () => {
    const ladder = await interrupted(3);
    ladder.answers = [{ status: 500 }];
    await ladder.emit();
    expect(await ladder.delivery()).toMatchObject({ status: "pending", attemptCount: 4 });
    await ladder.pass(4 * day, hour);
    const { status, attempts } = await ladder.delivery();
    expect(status).toBe("dead");
    expect(attempts.map((attempt) => attempt.interrupted)).toEqual([...Array(3).fill(true), ...Array(8).fill(false)]);
    await ladder.service.close();
  });

  test("leave the waits of the schedule as they are", async () => {
    const ladder = await interrupted(2);
    ladder.answers = [...Array(3).fill({ status: 500 }), { status: 200 }];
    await ladder.emit();
    await ladder.advance(minute);
    expect(await ladder.delivery()).toMatchObject({ status: "succeeded", attemptCount: 4 });
    await ladder.service.close();
  });

  test("count from the ninth on, so that a delivery that kills its process each time comes to an end", async () => {
    const last = await interrupted(15);
    await last.emit();
    expect(await last.delivery()).toMatchObject({ status: "succeeded", attemptCount: 16 });
    await last.service.close();

    const ladder = await interrupted(16);
    await ladder.emit();
    expect(await ladder.delivery()).toMatchObject({ status: "dead", attemptCount: 16 });
    expect(ladder.begun).toHaveLength(1);
    expect(ladder.logged).toContain("A delivery was interrupted too often and is given up; replay it once the cause is found.");
    await ladder.service.close();
  });
});
