import { describe, expect, test } from "vitest";
import { secrets } from "../../emissionStage.js";
import { day, hour, Ladder, minute, second } from "./ladderStage.js";

const failing = [{ status: 500 }];

describe("attempts", () => {
  test.each([408, 429, 500, 502, 503, 599])("that end with %i are repeated", async (status) => {
    const ladder = new Ladder();
    ladder.answers = [{ status }, { status: 204 }];
    await ladder.listen();
    await ladder.emit();
    expect(await ladder.delivery()).toMatchObject({ status: "pending", attempts: [{ n: 1, status, errorCode: null }] });
    expect((await ladder.health()).consecutiveFailures).toBe(1);
    await ladder.advance(minute);
    expect(await ladder.delivery()).toMatchObject({ status: "succeeded", attemptCount: 2, nextAttemptAt: null });
    expect((await ladder.health()).consecutiveFailures).toBe(0);
    await ladder.service.close();
  });

  test.each(["DNS_FAILED", "CONNECTION_REFUSED", "CONNECTION_RESET", "TLS_CERTIFICATE_INVALID", "TIMEOUT", "BAD_RESPONSE"] as const)(
    "that end with %s are repeated",
    async (errorCode) => {
      const ladder = new Ladder();
      ladder.answers = [{ errorCode }, { status: 200 }];
      await ladder.listen();
      await ladder.emit();
      expect(await ladder.delivery()).toMatchObject({ status: "pending", attempts: [{ n: 1, status: null, errorCode }] });
      await ladder.advance(minute);
      expect(await ladder.delivery()).toMatchObject({ status: "succeeded", attemptCount: 2 });
      await ladder.service.close();
    },
  );

  test.each([
    [{ status: 400 }, null],
    [{ status: 401 }, null],
    [{ status: 404 }, null],
    [{ status: 413 }, null],
    [{ status: 425 }, null],
    [{ status: 499 }, null],
    [{ status: 301 }, "REDIRECT_REFUSED"],
    [{ status: 304 }, "REDIRECT_REFUSED"],
    [{ status: 307 }, "REDIRECT_REFUSED"],
    [{ status: 101 }, "BAD_STATUS"],
    [{ status: 103 }, "BAD_STATUS"],
    [{ status: 600 }, "BAD_STATUS"],
    [{ status: 999 }, "BAD_STATUS"],
    [{ errorCode: "ADDRESS_BLOCKED" as const }, "ADDRESS_BLOCKED"],
  ])("that end with %j are the last", async (answer, errorCode) => {
    const ladder = new Ladder();
    ladder.answers = [answer];
    await ladder.listen();
    await ladder.emit();
    const status = "status" in answer ? answer.status : null;
    expect(await ladder.delivery()).toMatchObject({ status: "dead", nextAttemptAt: null, attempts: [{ n: 1, status, errorCode }] });
    expect(await ladder.health()).toMatchObject({ active: true, consecutiveFailures: 1 });
    await ladder.pass(2 * day, hour);
    expect(ladder.begun).toHaveLength(1);
    await ladder.service.close();
  });

  test("that succeed end the row of failures", async () => {
    const ladder = new Ladder();
    ladder.answers = [...failing, ...failing, ...failing, { status: 200 }];
    await ladder.listen();
    await ladder.emit();
    const counts = [];
    for (const delayMs of [minute, 5 * minute, 30 * minute, 0]) {
      counts.push((await ladder.health()).consecutiveFailures);
      await ladder.advance(delayMs);
    }
    expect(counts).toEqual([1, 2, 3, 0]);
    await ladder.service.close();
  });
});

describe("a fault of our own", () => {
  test("is no attempt: the delivery waits for half a minute, and the receiver has done nothing wrong", async () => {
    const first = new Ladder();
    await first.listen();
    const { clock, storage, webhook } = first;
    await storage.webhooks?.update(webhook, { secret: (await storage.webhooks.get(webhook))?.secret.replace(/.$/, "!") ?? "" });
    await first.emit();
    for (let tries = 0; tries < 20; tries++) {
      expect(await first.delivery()).toMatchObject({ status: "pending", attemptCount: 0, attempts: [] });
      expect(await first.health()).toMatchObject({ active: true, consecutiveFailures: 0 });
      const { nextAttemptAt } = await first.delivery();
      expect(Date.parse(nextAttemptAt ?? "") - clock.now()).toBe(30 * second);
      await first.advance(30 * second);
    }
    expect(first.begun).toEqual([]);
    expect(first.logged.filter((line) => line === "Preparing a delivery failed; it will be tried again.")).toHaveLength(21);
    const rotated = await first.send({ method: "POST", target: `/webhooks/${webhook}/rotate-secret`, body: { overlapSeconds: 0 } });
    expect(rotated.status).toBe(200);
    await first.advance(30 * second);
    expect(await first.delivery()).toMatchObject({ status: "succeeded", attemptCount: 1 });
    await first.service.close();
  });

  test("such as a secret that the service has lost ends when it is back", async () => {
    const first = new Ladder();
    const webhook = await first.listen();
    const { clock, storage } = first;
    // On a storage that is given nobody is woken: the first service leaves it to the next one.
    await first.service.emit({ type: "report.ready", data: {} }, storage);
    await first.service.close();
    const without = new Ladder({ clock, storage, secrets: ["quite another secret"] });
    await without.service.start();
    await without.settle();
    expect([without.begun, without.logged]).toEqual([[], ["Preparing a delivery failed; it will be tried again."]]);
    await without.service.close();
    const withBoth = new Ladder({ clock, storage, secrets: ["quite another secret", ...secrets] });
    await withBoth.service.start();
    await withBoth.settle();
    await withBoth.advance(30 * second - 1);
    expect(withBoth.begun).toEqual([]);
    await withBoth.advance(1);
    expect(await withBoth.deliveries(webhook)).toMatchObject([{ status: "succeeded", attemptCount: 1, attempts: [{ n: 1, status: 200 }] }]);
    await withBoth.service.close();
  });

  test("such as an attempt that was cut off here is none either", async () => {
    const ladder = new Ladder();
    ladder.answers = [{ errorCode: "ABORTED" }];
    await ladder.listen();
    await ladder.emit();
    expect(await ladder.delivery()).toMatchObject({ status: "pending", attemptCount: 0 });
    expect((await ladder.health()).consecutiveFailures).toBe(0);
    ladder.answers = [{ status: 200 }];
    await ladder.advance(30 * second);
    expect(await ladder.delivery()).toMatchObject({ status: "succeeded", attemptCount: 1 });
    await ladder.service.close();
  });
});
