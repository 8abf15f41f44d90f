import assert from "node:assert/strict";
import type { JobScenario } from "./scenario.js";

export const leaseScenarios: readonly JobScenario[] = [
  {
    name: "laterInMs tells when the first job is due that waits for its time, or whose lease ends; ready jobs do not count",
    needs: { laterInMs: true },
    async run(stage) {
      const own = await stage.another();
      const later = async () => own.store.laterInMs?.();
      assert.equal(await later(), undefined);
      const first = await own.begun({}, 60_000);
      await own.create();
      const leaseMs = await later();
      assert.ok(leaseMs !== undefined && leaseMs > 30_000 && leaseMs <= 60_000, `${leaseMs}`);
      await own.store.release(first.lease, { delayMs: 20_000, failed: true });
      const pauseMs = await later();
      assert.ok(pauseMs !== undefined && pauseMs > 0 && pauseMs <= 20_000, `${pauseMs}`);
      const second = await own.begun({}, 5);
      await own.advance(20);
      assert.equal(await later(), 0);
      assert.equal((await own.claimOne(second.type)).attempts, 1);
      const again = await later();
      assert.ok(again !== undefined && again > 0 && again <= 20_000, `${again}`);
    },
  },
  {
    name: "an extended lease expires at its new end, not at its first one, also if it had expired",
    async run(stage) {
      const { type, lease } = await stage.begun({}, 500);
      assert.equal(await stage.store.extend(lease, 60_000), "held");
      await stage.advance(520);
      assert.deepStrictEqual(await stage.claim(type), []);
      assert.equal(await stage.store.extend(lease, 5), "held");
      await stage.advance(20);
      assert.equal(await stage.store.extend(lease, 60_000), "held");
      assert.deepStrictEqual(await stage.claim(type), []);
      assert.equal(await stage.store.extend(lease, 5), "held");
      await stage.advance(20);
      assert.equal((await stage.claimOne(type)).attempts, 1);
    },
  },
  {
    name: "extending a lease changes nothing that clients see",
    async run(stage) {
      const { id, lease } = await stage.begun();
      const before = await stage.state(id);
      assert.equal(await stage.store.extend(lease, 30_000), "held");
      assert.deepStrictEqual(await stage.state(id), before);
    },
  },
  {
    name: "a released job can be claimed again with the next fence, and its attempt counts only if it failed",
    async run(stage) {
      for (const failed of [false, true]) {
        const { id, type, lease } = await stage.begun();
        assert.equal(await stage.store.release(lease, { delayMs: 0, failed }), true);
        const { status, attempts } = await stage.state(id);
        assert.deepStrictEqual([status, attempts], ["processing", 0]);
        const next = await stage.claimOne(type);
        assert.deepStrictEqual([next.attempts, next.lease.fence], [failed ? 1 : 0, lease.fence + 1]);
      }
    },
  },
];
