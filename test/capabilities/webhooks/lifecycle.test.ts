import type { Storage } from "restwright";
import { memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { Retryable } from "../../../src/ground/storage/errors.js";
import type { Webhook } from "../../../src/ground/storage/queue/webhooks.js";
import { Ladder, minute, second } from "./delivery/ladder/ladderStage.js";
import { deliveriesOf, heardBy, hookUrl, Receiver, register, shortly } from "./emissionStage.js";
import { keptLog, withStores } from "./faultyStorage.js";

const brokenUrl = "https://broken.test/hook";

/** A promise that is kept when it is told to. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

const turns = async (count = 50) => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

/** Whether a promise is kept once all has happened that can. */
async function isKept(promise: Promise<unknown>): Promise<boolean> {
  let kept = false;
  void promise.then(() => {
    kept = true;
  });
  await turns();
  return kept;
}

describe("a service that closes", () => {
  test("while it starts sends nothing and leaves no timer", async () => {
    const { opened, open } = gate();
    const before = new Ladder({ jobs: false, webhooks: { work: false } });
    await before.listen();
    await before.emit();
    const { clock } = before;
    const storage: Storage = { ...before.storage, migrate: async () => opened };
    const { service, receiver } = new Ladder({ clock, storage, jobs: false });
    const starting = service.start();
    const closing = service.close();
    await turns();
    open();
    await Promise.all([starting, closing]);
    await turns();
    clock.advance(minute);
    await turns();
    expect([clock.pending, receiver.received]).toEqual([0, []]);
  });

  test("waits for the sweep that is under way", async () => {
    const { opened, open } = gate();
    const clock = new FakeClock();
    const storage = withStores(memoryStorage({ clock }), { deliveries: { sweep: async () => opened.then(() => 0) } });
    const ladder = new Ladder({ clock, storage });
    await ladder.service.start();
    await ladder.advance(15 * minute);
    const closing = ladder.service.close();
    expect(await isKept(closing)).toBe(false);
    open();
    expect(await isKept(closing)).toBe(true);
  });

  test("does not wait longer than it may for an owner who is being told", async () => {
    const ladder = new Ladder({ webhooks: { disableAfter: { consecutive: 1 }, onDisabled: async () => new Promise<void>(() => {}) } });
    ladder.answers = [{ status: 404 }];
    await ladder.listen();
    await ladder.emit();
    const closing = ladder.service.close({ graceMs: 5 * second });
    expect(await isKept(closing)).toBe(false);
    await ladder.advance(5 * second);
    await ladder.advance(second);
    expect(await isKept(closing)).toBe(true);
  });
});

describe("what is due and not to be had", () => {
  test("is not asked for again and again", async () => {
    const clock = new FakeClock();
    let claims = 0;
    const storage = withStores(memoryStorage({ clock }), {
      deliveries: {
        claim: async () => {
          claims += 1;
          return [];
        },
        dueInMs: async () => 0,
      },
    });
    const ladder = new Ladder({ clock, storage });
    await ladder.service.start();
    for (let ms = 0; ms < 1_000; ms++) {
      clock.advance(1);
      await turns(3);
    }
    expect(claims).toBeLessThanOrEqual(11);
    await ladder.service.close();
  });
});

describe("when a webhook is disabled", () => {
  /** Stores of which the one that is named fails while it is told of a webhook, so often. */
  async function setUp(fails: "the event" | "the reading", error: Error, times = Number.POSITIVE_INFINITY) {
    const clock = new FakeClock();
    const storage = memoryStorage({ clock });
    let [left, isTelling] = [times, false];
    const failsNow = () => isTelling && left-- > 0;
    const faulty = withStores(storage, {
      webhooks: { get: async (id) => (fails === "the reading" && failsNow() ? Promise.reject(error) : storage.webhooks?.get(id)) },
      deliveries: {
        enqueue: async (events) => (fails === "the event" && failsNow() ? Promise.reject(error) : deliveriesOf(storage).enqueue(events)),
      },
    });
    const { lines, logger } = keptLog();
    const told: Webhook[] = [];
    const onDisabled = (webhook: Webhook) => void told.push(webhook);
    const ladder = new Ladder({ clock, storage: faulty, logger, webhooks: { disableAfter: { consecutive: 1 }, onDisabled } });
    const broken = await ladder.listen({ url: brokenUrl });
    const other = await register(ladder, { events: ["webhook.*"] });
    ladder.receiver.answer = ({ url }) => {
      isTelling ||= url.href === brokenUrl;
      return { status: url.href === brokenUrl ? 404 : 200 };
    };
    await ladder.emit();
    for (let tries = 0; tries < 10; tries++) await ladder.advance(100);
    const heard = await heardBy(storage, other);
    await ladder.service.close();
    return { broken, told, heard, lines, ladder };
  }

  test("the owner is told though the others cannot be", async () => {
    const { broken, told, heard, lines } = await setUp("the event", new Error("The disk is full."));
    expect(told.map(({ id, active }) => [id, active])).toEqual([[broken, false]]);
    expect(heard).toEqual([]);
    expect(lines).toContain("Notifying the other webhooks of a disabled one failed.");
  });

  test("the owner and the others are told though it cannot be read", async () => {
    const { broken, told, heard } = await setUp("the reading", new Error("The store is down."));
    expect(told.map(({ id }) => id)).toEqual([broken]);
    expect(heard).toMatchObject([{ type: "webhook.disabled", data: { webhookId: broken } }]);
  });

  test.each(["the event", "the reading"] as const)("%s is tried again where it lost against another", async (fails) => {
    const { broken, told, heard } = await setUp(fails, new Retryable("Lost against another."), 2);
    expect(told.map(({ id, active }) => [id, active])).toEqual([[broken, false]]);
    expect(heard).toMatchObject([{ type: "webhook.disabled", data: { webhookId: broken } }]);
  });

  test("the others do not learn its address, which may hold a token", async () => {
    const { broken, heard, ladder } = await setUp("the event", new Error("Never."), 0);
    expect(heard.map(({ data }) => data)).toEqual([{ webhookId: broken, reason: "consecutive_failures" }]);
    const sent = ladder.receiver.received.filter(({ url }) => url.href !== brokenUrl).map(({ body }) => Buffer.from(body).toString());
    expect(sent).toHaveLength(1);
    expect(sent.join("")).not.toContain("broken.test");
  });
});

describe("a delivery", () => {
  test.each([{ denyHosts: ["example.test"] }, { allowedPorts: [8_443] }])(
    "goes nowhere that is not allowed any more, whatever was allowed at registration: %j",
    async (rules) => {
      const ladder = new Ladder({ webhooks: { work: false } });
      await ladder.listen({ url: rules.allowedPorts === undefined ? hookUrl : "https://example.test:9443/" });
      await ladder.emit();
      await ladder.service.close();
      const receiver = new Receiver(rules);
      const later = new Ladder({ clock: ladder.clock, storage: ladder.storage, webhooks: { transport: receiver } });
      later.webhook = ladder.webhook;
      await later.service.start();
      await later.settle();
      expect(receiver.received).toEqual([]);
      expect(await later.delivery()).toMatchObject({ status: "dead", attempts: [{ status: null, errorCode: "ADDRESS_BLOCKED" }] });
      const test = await later.send({ method: "POST", target: `/webhooks/${later.webhook}/test` });
      expect([test.json, receiver.received]).toMatchObject([{ outcome: "terminal", errorCode: "ADDRESS_BLOCKED" }, []]);
      await later.service.close();
    },
  );

  test("that is replayed has as many attempts as any, and as many that workers that died leave it", async () => {
    const ladder = new Ladder({ webhooks: { work: false, scheduleMs: [0, 0, 0] } });
    await ladder.listen();
    await ladder.emit();
    const deliveries = deliveriesOf(ladder.storage);
    const claim = async () => (await deliveries.claim({ leaseMs: minute, max: 1, maxPerWebhook: 5 }))[0];
    const first = await claim();
    if (first === undefined) throw new Error("There is no delivery.");
    await deliveries.record(first.lease, { next: { state: "dead" }, failures: "keep" });
    const replay = await ladder.send({ method: "POST", target: `/webhooks/${ladder.webhook}/deliveries/${first.lease.id}/replay` });
    expect(replay.status).toBe(202);
    for (let died = 0; died < 3 + 8; died++) {
      expect(await claim()).toBeDefined();
      ladder.clock.advance(minute + 1);
    }
    const later = new Ladder({ clock: ladder.clock, storage: ladder.storage, webhooks: { scheduleMs: [0, 0, 0] } });
    later.webhook = ladder.webhook;
    await later.service.start();
    await later.settle();
    expect(later.receiver.received).toEqual([]);
    expect((await later.deliveries()).map(({ status }) => status)).toEqual(["dead", "dead"]);
    expect(await shortly(later.storage, later.webhook)).toHaveLength(2);
    await later.service.close();
  });
});
