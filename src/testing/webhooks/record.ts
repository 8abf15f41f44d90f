import assert from "node:assert/strict";
import type { ClaimedDelivery, DeliveryOutcome } from "../../ground/storage/queue/deliveries.js";
import { attempt, failure, only, outcome, type WebhookScenario } from "./stage.js";

export const recordScenarios: readonly WebhookScenario[] = [
  {
    name: "a success ends the delivery and logs its attempt",
    async run(stage) {
      const claimed = await stage.sending();
      const made = attempt({
        startedAt: new Date(1_700_000_000_777),
        latencyMs: 31,
        status: 204,
        url: "https://a.example/1",
        body: Uint8Array.of(0, 255, 128),
      });
      assert.deepStrictEqual(await stage.record(claimed, { attempt: made }), { state: "succeeded", consecutiveFailures: 0, disabled: undefined });
      const { state, attempts, endedAt, dueAt, lastStatus, lastAttemptAt, lastUrl } = (await stage.deliveries.get(claimed.lease.id)) ?? {};
      assert.deepStrictEqual(
        [state, attempts, dueAt, lastStatus, lastAttemptAt, lastUrl],
        ["succeeded", 1, undefined, 204, made.startedAt, made.url],
      );
      assert.ok(endedAt !== undefined);
      const [logged] = await stage.deliveries.attempts(claimed.lease.id);
      assert.deepStrictEqual(
        { ...logged, body: [...(logged?.body ?? [])] },
        {
          n: 1,
          trigger: "auto",
          startedAt: made.startedAt,
          latencyMs: 31,
          status: 204,
          errorCode: undefined,
          url: "https://a.example/1",
          body: [0, 255, 128],
          interrupted: false,
        },
      );
    },
  },
  {
    name: "a failed delivery waits for its delay, and the next attempt has the next number",
    async run(stage) {
      const claimed = await stage.sending();
      const made = { startedAt: new Date(1_700_000_000_000), latencyMs: 5, errorCode: "CONNECT_TIMEOUT", body: new Uint8Array() };
      assert.equal((await stage.record(claimed, { ...failure, attempt: made, next: { state: "pending", delayMs: 500 } })).state, "pending");
      assert.deepStrictEqual(await stage.claim(), []);
      await stage.advance(510);
      const again = await stage.claimOne();
      assert.equal(again.attempt, 2);
      await stage.record(again, {});
      const logged = await stage.deliveries.attempts(claimed.lease.id);
      assert.deepStrictEqual(
        logged.map(({ n, status, errorCode }) => [n, status, errorCode]),
        [
          [1, undefined, "CONNECT_TIMEOUT"],
          [2, 200, undefined],
        ],
      );
      const { lastStatus, lastErrorCode } = (await stage.deliveries.get(claimed.lease.id)) ?? {};
      assert.deepStrictEqual([lastStatus, lastErrorCode], [200, undefined]);
    },
  },
  {
    name: "a delivery may end without an attempt, dead or canceled",
    async run(stage) {
      for (const state of ["dead", "canceled"] as const) {
        const claimed = await stage.sending();
        assert.equal((await stage.record(claimed, { attempt: undefined, next: { state }, failures: "keep" })).state, state);
        assert.deepStrictEqual(await stage.deliveries.attempts(claimed.lease.id), []);
        assert.equal(await stage.state(claimed.lease.id), state);
      }
    },
  },
  {
    name: "failures are counted across deliveries, can be kept unchanged, and a success resets them",
    async run(stage) {
      const { id } = await stage.register();
      const count = async (failures: "add" | "keep" | "reset") => {
        await stage.enqueue(id);
        const { consecutiveFailures } = await stage.record(await stage.claimOne(), { next: { state: "dead" }, failures });
        const webhook = await stage.found(id);
        assert.equal(webhook.consecutiveFailures, consecutiveFailures);
        assert.equal(webhook.failingSince !== undefined, consecutiveFailures > 0);
        return consecutiveFailures;
      };
      assert.deepStrictEqual(
        [await count("add"), await count("add"), await count("keep"), await count("reset"), await count("add")],
        [1, 2, 2, 0, 1],
      );
    },
  },
  {
    name: "the limit of failures disables the webhook once with a reason and cancels pending deliveries",
    async run(stage) {
      const { id, version, tenant } = await stage.register();
      const known = (await stage.webhooks.active(tenant))?.generation;
      const ids = await stage.enqueue(id, 5);
      const claimed = await stage.claim({ max: 3 });
      const results = [];
      for (const one of claimed) results.push(await stage.record(one, { ...failure, disableAfter: { consecutive: 2, minDurationMs: 0 } }));
      assert.deepStrictEqual(results, [
        { state: "pending", consecutiveFailures: 1, disabled: undefined },
        { state: "canceled", consecutiveFailures: 2, disabled: "consecutive_failures" },
        { state: "canceled", consecutiveFailures: 2, disabled: undefined },
      ]);
      const webhook = await stage.found(id);
      assert.deepStrictEqual([webhook.active, webhook.disabledReason], [false, "consecutive_failures"]);
      assert.ok(webhook.disabledAt !== undefined);
      assert.notEqual(webhook.version, version);
      assert.deepStrictEqual((await stage.webhooks.active(tenant, known))?.webhooks, []);
      for (const one of ids) assert.equal(await stage.state(one), "canceled");
    },
  },
  {
    name: "results that are recorded together have the effect of the same results one by one",
    async run(stage) {
      const recordMany = stage.deliveries.recordMany?.bind(stage.deliveries);
      if (recordMany === undefined) return;
      const { id } = await stage.register();
      const healthy = await stage.sending();
      await stage.enqueue(id, 5);
      const [retried, disabling, late, lost, twice] = (await stage.claim()) as [ClaimedDelivery, ClaimedDelivery, ...ClaimedDelivery[]];
      assert.ok(late !== undefined && lost !== undefined && twice !== undefined);
      assert.equal(await stage.deliveries.release(lost.lease, 60_000), true);
      const result = ({ lease }: ClaimedDelivery, change: Partial<DeliveryOutcome>) => ({ lease, outcome: outcome(change) });
      const disable = { ...failure, disableAfter: { consecutive: 2, minDurationMs: 0 } };
      const made = attempt({ status: 201, url: "https://b.example/2", body: Uint8Array.of(7, 0) });
      const recorded = await recordMany([
        result(retried, failure),
        result(healthy, { attempt: made }),
        result(lost, {}),
        result(disabling, disable),
        result(twice, { attempt: undefined, next: { state: "dead" }, failures: "keep" }),
        result(twice, {}),
        result(late, failure),
      ]);
      assert.deepStrictEqual(recorded, [
        { state: "pending", consecutiveFailures: 1, disabled: undefined },
        { state: "succeeded", consecutiveFailures: 0, disabled: undefined },
        undefined,
        { state: "canceled", consecutiveFailures: 2, disabled: "consecutive_failures" },
        { state: "dead", consecutiveFailures: 2, disabled: undefined },
        undefined,
        { state: "canceled", consecutiveFailures: 2, disabled: undefined },
      ]);
      // The pending ones were canceled when the webhook was disabled.
      for (const { lease } of [retried, lost, disabling, late]) assert.equal(await stage.state(lease.id), "canceled");
      assert.deepStrictEqual([await stage.state(healthy.lease.id), await stage.state(twice.lease.id)], ["succeeded", "dead"]);
      const attempts = await Promise.all([healthy, lost, twice, late].map(async ({ lease }) => (await stage.deliveries.attempts(lease.id)).length));
      assert.deepStrictEqual(attempts, [1, 0, 0, 1]);
      const [logged] = await stage.deliveries.attempts(healthy.lease.id);
      assert.deepStrictEqual([logged?.n, logged?.status, logged?.url, [...(logged?.body ?? [])]], [1, 201, made.url, [7, 0]]);
      const { lastStatus, lastUrl, attempts: counted } = (await stage.deliveries.get(healthy.lease.id)) ?? {};
      assert.deepStrictEqual([lastStatus, lastUrl, counted], [201, made.url, 1]);
      assert.deepStrictEqual(await recordMany([]), []);
    },
  },
  {
    name: "failures within a short time do not disable a webhook; lasting ones do",
    async run(stage) {
      const { id } = await stage.register();
      await stage.enqueue(id, 3);
      const disableAfter = { consecutive: 1, minDurationMs: 500 };
      const [first, second, third] = await stage.claim();
      assert.ok(first !== undefined && second !== undefined && third !== undefined);
      assert.equal((await stage.record(first, { ...failure, disableAfter })).disabled, undefined);
      assert.equal((await stage.record(second, { ...failure, disableAfter })).disabled, undefined);
      await stage.advance(510);
      assert.equal((await stage.record(third, { ...failure, disableAfter })).disabled, "consecutive_failures");
    },
  },
  {
    name: "a webhook whose URL is gone is disabled at once, with that reason",
    async run(stage) {
      const claimed = await stage.sending();
      const [waiting = ""] = await stage.enqueue(claimed.webhook.id);
      const recorded = await stage.record(claimed, { next: { state: "dead" }, failures: "keep", disable: "gone" });
      assert.deepStrictEqual(recorded, { state: "dead", consecutiveFailures: 0, disabled: "gone" });
      assert.equal((await stage.found(claimed.webhook.id)).disabledReason, "gone");
      assert.equal(await stage.state(waiting), "canceled");
    },
  },
  {
    name: "enabling resets the failures, and starts with one delivery at a time",
    async run(stage) {
      const claimed = await stage.sending();
      await stage.record(claimed, { ...failure, pauseMs: 60_000, disableAfter: { consecutive: 1, minDurationMs: 0 } });
      const enabled = await stage.webhooks.update(claimed.webhook.id, { active: true });
      assert.ok(enabled.ok);
      const { consecutiveFailures, failingSince, pausedUntil, disabledReason, limit } = enabled.webhook;
      assert.deepStrictEqual([consecutiveFailures, failingSince, pausedUntil, disabledReason, limit], [0, undefined, undefined, undefined, 1]);
    },
  },
  {
    name: "the limit drops to one, grows by one and ends after successes; failures do not change the version",
    async run(stage) {
      const { id, version } = await stage.register();
      const limits: (number | undefined)[] = [];
      for (const change of ["one", "grow", "one", "grow", "grow", "grow", "grow"] as const) {
        await stage.enqueue(id);
        await stage.record(await stage.claimOne(), { limit: { change, max: 5 }, failures: "add" });
        limits.push((await stage.found(id)).limit);
      }
      assert.deepStrictEqual(limits, [1, 2, 1, 2, 3, 4, undefined]);
      assert.equal((await stage.found(id)).version, version);
    },
  },
  {
    name: "a response from an earlier URL does not change the webhook, but its attempt is logged and the delivery continues",
    async run(stage) {
      const url = "https://old.example/hook";
      const { id } = await stage.register({ url });
      await stage.enqueue(id, 3);
      const claimed = await stage.claim();
      await stage.record(only(claimed), { ...failure, url });
      await stage.webhooks.update(id, { url: "https://new.example/hook" });
      const before = await stage.found(id);
      assert.equal(before.consecutiveFailures, 1);
      const worst: Partial<DeliveryOutcome> = {
        ...{ url, failures: "add", pauseMs: 60_000, limit: { change: "one", max: 5 }, disableAfter: { consecutive: 1, minDurationMs: 0 } },
      };
      const [, gone, again] = claimed;
      assert.ok(gone !== undefined && again !== undefined);
      const dead = await stage.record(gone, { ...worst, disable: "gone", next: { state: "dead" } });
      assert.deepStrictEqual(dead, { state: "dead", consecutiveFailures: 1, disabled: undefined });
      assert.equal((await stage.record(again, { ...failure, ...worst, next: { state: "pending", delayMs: 60_000 } })).state, "pending");
      assert.deepStrictEqual(await stage.found(id), before);
      for (const { lease } of [gone, again]) assert.equal((await stage.deliveries.attempts(lease.id)).length, 1);
      const next = await stage.claimOne();
      assert.equal((await stage.record(next, { url, failures: "reset" })).consecutiveFailures, 1);
      await stage.enqueue(id);
      assert.equal((await stage.record(await stage.claimOne(), { url: before.url, disable: "gone" })).disabled, "gone");
    },
  },
  {
    name: "a pause is not shortened by a shorter one",
    async run(stage) {
      const { id } = await stage.register();
      await stage.enqueue(id, 2);
      const [first, second] = await stage.claim();
      assert.ok(first !== undefined && second !== undefined);
      await stage.record(first, { pauseMs: 60_000 });
      const { pausedUntil } = await stage.found(id);
      await stage.record(second, { pauseMs: 1 });
      assert.ok(pausedUntil !== undefined);
      assert.deepStrictEqual((await stage.found(id)).pausedUntil, pausedUntil);
    },
  },
  {
    name: "an outcome is recorded even if the webhook was removed",
    async run(stage) {
      const claimed = await stage.sending();
      await stage.webhooks.remove(claimed.webhook.id);
      assert.deepStrictEqual(await stage.deliveries.record(claimed.lease, outcome()), {
        state: "succeeded",
        consecutiveFailures: 0,
        disabled: undefined,
      });
    },
  },
];
