import { describe, expect, test } from "vitest";
import type { Webhook } from "../../../../../src/ground/storage/queue/webhooks.js";
import { heardBy, register, shortly } from "../../emissionStage.js";
import { hour, Ladder, minute } from "./ladderStage.js";

const brokenUrl = "https://broken.test/hook";

function setUp(webhooks: NonNullable<ConstructorParameters<typeof Ladder>[0]>["webhooks"] = {}) {
  const told: Webhook[] = [];
  const ladder = new Ladder({ webhooks: { onDisabled: (webhook) => void told.push(webhook), ...webhooks } });
  const { receiver } = ladder;
  const { answer } = receiver;
  receiver.answer = async (request) => (request.url.href === brokenUrl ? answer(request) : { status: 200 });
  ladder.answers = [{ status: 404 }];
  return { ladder, told, listen: async () => ladder.listen({ url: brokenUrl, events: ["*"] }) };
}

describe("fifty failures in a row", () => {
  test("disable a webhook once: what waits is canceled, the owner is told, and the other webhooks of the tenant", async () => {
    const { ladder, told, listen } = setUp({ perWebhook: 1 });
    const { storage } = ladder;
    const broken = await listen();
    const [other, picky] = [await register(ladder), await register(ladder, { events: ["report.*"] })];
    await ladder.emit(49);
    expect(await ladder.health(broken)).toMatchObject({ active: true, consecutiveFailures: 49 });
    await ladder.emit(20);
    await ladder.settle();
    const health = await ladder.health(broken);
    expect(health).toMatchObject({ active: false, consecutiveFailures: 50, disabledReason: "consecutive_failures" });
    expect(Date.parse(health.disabledAt)).toBe(ladder.clock.now());
    const states = (await ladder.deliveries(broken)).map(({ status }) => status);
    expect(states.filter((state) => state === "dead")).toHaveLength(50);
    expect(states.every((state) => state === "dead" || state === "canceled")).toBe(true);

    expect(told.map(({ id, active, disabledReason }) => [id, active, disabledReason])).toEqual([[broken, false, "consecutive_failures"]]);
    const disabled = (await heardBy(storage, other)).filter(({ type }) => type === "webhook.disabled");
    expect(disabled.map(({ data }) => data)).toEqual([{ webhookId: broken, reason: "consecutive_failures" }]);
    const heard = [...(await shortly(storage, broken)), ...(await shortly(storage, picky))];
    expect(heard.filter((line) => line.startsWith("webhook."))).toEqual([]);
    await ladder.service.close();
  });

  test("that come at once disable it once", async () => {
    const { ladder, told, listen } = setUp({ perWebhook: 100 });
    ladder.latencyMs = 1;
    const broken = await listen();
    await ladder.emit(80);
    await ladder.advance(1);
    await ladder.settle();
    expect(told).toHaveLength(1);
    expect(await ladder.health(broken)).toMatchObject({ active: false, consecutiveFailures: 50 });
    expect((await ladder.deliveries(broken)).map(({ status }) => status)).toEqual(Array<string>(80).fill("dead"));
    await ladder.service.close();
  });

  test("are as many as the developer says, and over a time that he says", async () => {
    const { ladder, told, listen } = setUp({ disableAfter: { consecutive: 3, minDurationMs: hour } });
    await listen();
    await ladder.emit(10);
    expect(told).toEqual([]);
    await ladder.advance(hour - 1);
    await ladder.emit();
    expect(told).toEqual([]);
    await ladder.advance(1);
    await ladder.emit();
    expect(told).toHaveLength(1);
    await ladder.service.close();
  });

  test("begin again at none when the webhook is enabled, and nothing old is sent by itself", async () => {
    const { ladder, told, listen } = setUp({ disableAfter: { consecutive: 5 }, perWebhook: 1 });
    ladder.answers = [{ status: 500 }];
    const broken = await listen();
    await ladder.emit(8);
    expect(told).toHaveLength(1);
    const sent = ladder.begun.length;
    const enabled = await ladder.send({ method: "PATCH", target: `/webhooks/${broken}`, body: { active: true } });
    expect([enabled.status, enabled.json]).toMatchObject([200, { active: true, consecutiveFailures: 0, disabledReason: null, disabledAt: null }]);
    ladder.answers = [{ status: 200 }];
    await ladder.pass(2 * hour, 10 * minute);
    expect(ladder.begun).toHaveLength(sent);
    await ladder.emit();
    expect((await ladder.deliveries(broken)).map(({ status }) => status).filter((state) => state !== "canceled")).toEqual(["succeeded"]);
    ladder.answers = [{ status: 404 }];
    await ladder.emit(4);
    expect(await ladder.health(broken)).toMatchObject({ active: true, consecutiveFailures: 4 });
    await ladder.emit();
    expect([told.length, (await ladder.health(broken)).active]).toEqual([2, false]);
    await ladder.service.close();
  });

  test("disable it though the developer's own word about it fails", async () => {
    const { ladder, listen } = setUp({
      disableAfter: { consecutive: 1 },
      onDisabled: () => Promise.reject(new Error("The mail server is down.")),
    });
    const broken = await listen();
    await ladder.emit(2);
    expect((await ladder.health(broken)).active).toBe(false);
    expect(ladder.logged).toContain("onDisabled threw.");
    await ladder.service.close();
  });
});

describe("a 410", () => {
  test("disables a webhook at once, without being a failure", async () => {
    const { ladder, told, listen } = setUp();
    ladder.answers = [{ status: 410 }];
    const gone = await listen();
    const other = await register(ladder, { events: ["webhook.disabled"] });
    await ladder.emit();
    expect(await ladder.delivery()).toMatchObject({ status: "dead", attempts: [{ status: 410 }] });
    expect(await ladder.health(gone)).toMatchObject({ active: false, disabledReason: "gone", consecutiveFailures: 0 });
    expect(told.map(({ disabledReason }) => disabledReason)).toEqual(["gone"]);
    expect(await heardBy(ladder.storage, other)).toMatchObject([{ type: "webhook.disabled", data: { webhookId: gone, reason: "gone" } }]);
    await ladder.service.close();
  });

  test("is like any 4xx where the developer says so", async () => {
    const { ladder, told, listen } = setUp({ disableOnGone: false });
    ladder.answers = [{ status: 410 }];
    const gone = await listen();
    await ladder.emit();
    expect(await ladder.delivery()).toMatchObject({ status: "dead", attempts: [{ status: 410 }] });
    expect(await ladder.health(gone)).toMatchObject({ active: true, consecutiveFailures: 1 });
    expect(told).toEqual([]);
    await ladder.service.close();
  });
});
