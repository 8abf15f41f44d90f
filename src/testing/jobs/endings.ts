import assert from "node:assert/strict";
import type { JobEnd } from "../../ground/storage/queue/jobs.js";
import type { JobScenario } from "./scenario.js";

export const endScenarios: readonly JobScenario[] = [
  {
    name: "a job that is completed has its result, no error, and the instant of its end",
    async run(stage) {
      const { id, lease, startedAt, version } = await stage.begun();
      await stage.advance(2);
      assert.equal(await stage.store.finish(lease, { status: "completed", result: { created: 3 } }), true);
      const state = await stage.state(id);
      assert.deepStrictEqual([state.status, state.result, state.error], ["completed", { created: 3 }, undefined]);
      assert.ok(state.finishedAt !== undefined && startedAt !== undefined && state.finishedAt > startedAt);
      assert.notEqual(state.version, version);
    },
  },
  {
    name: "a failed job has its error, and its result if it has one",
    async run(stage) {
      const plain: JobEnd = { status: "failed", error: { code: "EMPTY_FILE", detail: "The file is empty." } };
      for (const end of [plain, { ...plain, error: { ...plain.error, row: 7 }, result: { created: 6 } }]) {
        const { id, lease } = await stage.begun();
        assert.equal(await stage.store.finish(lease, end), true);
        const { status, error, result, finishedAt } = await stage.state(id);
        assert.deepStrictEqual({ status, error, result }, { result: undefined, ...end });
        assert.ok(finishedAt !== undefined);
      }
    },
  },
  {
    name: "the end of a job keeps its progress and entries",
    async run(stage) {
      const { id, lease } = await stage.begun();
      const entries = [{ position: 1, value: "one" }];
      assert.equal(await stage.store.advance(lease, { processed: 3, total: 3, counts: { created: 3 }, cursor: 3, entries }), true);
      assert.equal(await stage.store.finish(lease, { status: "completed" }), true);
      const { processed, total, counts, result } = await stage.state(id);
      assert.deepStrictEqual({ processed, total, counts, result }, { processed: 3, total: 3, counts: { created: 3 }, result: undefined });
      assert.deepStrictEqual(await stage.store.entries(id, 0, 10), entries);
    },
  },
  {
    name: "a queued job that is canceled fails and cannot be claimed",
    async run(stage) {
      const { id, type, tenant } = await stage.create();
      const { version } = await stage.state(id);
      assert.equal(await stage.store.cancel(id), "canceled");
      const state = await stage.state(id);
      assert.deepStrictEqual([state.status, state.error?.code], ["failed", "CANCELLED"]);
      assert.ok(state.error?.detail, "there is no detail");
      assert.ok(state.finishedAt !== undefined);
      assert.equal(state.startedAt, undefined);
      assert.notEqual(state.version, version);
      assert.deepStrictEqual(await stage.claim(type), []);
      assert.equal(await stage.store.countQueued(tenant), 0);
      assert.equal(await stage.store.cancel(id), "finished");
    },
  },
  {
    name: "extending the lease tells the worker of a cancellation, and the lease stays valid",
    async run(stage) {
      const { id, type, lease, version } = await stage.begun();
      assert.equal(await stage.store.cancel(id), "requested");
      const state = await stage.state(id);
      assert.deepStrictEqual([state.status, state.cancelRequested, state.error, state.finishedAt], ["processing", true, undefined, undefined]);
      assert.notEqual(state.version, version);
      assert.equal(await stage.store.extend(lease, 60_000), "cancel");
      assert.deepStrictEqual(await stage.claim(type), []);
      assert.equal(await stage.store.advance(lease, { processed: 1, total: 1, counts: {}, cursor: 1 }), true);
      assert.equal(await stage.store.cancel(id), "requested");
      assert.equal(await stage.store.extend(lease, 60_000), "cancel");
      assert.equal(await stage.store.finish(lease, { status: "failed", error: { code: "CANCELLED", detail: "Canceled." } }), true);
      assert.equal(await stage.store.cancel(id), "finished");
    },
  },
  {
    name: 'an extension that returns "cancel" still extends the lease',
    async run(stage) {
      const { id, type, lease } = await stage.begun({}, 500);
      assert.equal(await stage.store.cancel(id), "requested");
      assert.equal(await stage.store.extend(lease, 60_000), "cancel");
      await stage.advance(520);
      assert.deepStrictEqual(await stage.claim(type), []);
    },
  },
  {
    name: "a claim of a canceled job tells of the cancellation",
    async run(stage) {
      const { id, type } = await stage.overdue();
      assert.equal(await stage.store.cancel(id), "requested");
      assert.equal((await stage.claimOne(type)).cancelRequested, true);
    },
  },
  {
    name: "a job released with a delay is due at once if it is canceled, before or after the release",
    async run(stage) {
      for (const canceled of ["before", "after"] as const) {
        const { id, type, lease } = await stage.begun();
        if (canceled === "before") assert.equal(await stage.store.cancel(id), "requested");
        assert.equal(await stage.store.release(lease, { delayMs: 60_000, failed: true }), true);
        if (canceled === "after") assert.equal(await stage.store.cancel(id), "requested");
        assert.equal((await stage.claimOne(type)).cancelRequested, true, canceled);
      }
    },
  },
  {
    name: "a job that has ended or does not exist cannot be canceled",
    async run(stage) {
      const { id } = await stage.ended();
      const before = await stage.state(id);
      assert.equal(await stage.store.cancel(id), "finished");
      assert.deepStrictEqual(await stage.state(id), before);
      assert.equal(await stage.store.cancel(stage.name()), "missing");
    },
  },
  {
    name: "no version of a job occurs twice",
    async run(stage) {
      const { id, type } = await stage.create();
      const versions = [(await stage.state(id)).version];
      const { lease } = await stage.claimOne(type);
      const steps = [
        async () => {},
        () => stage.store.advance(lease, { processed: 1, total: 2, counts: {}, cursor: 1 }),
        () => stage.store.advance(lease, { processed: 2, total: 2, counts: {}, cursor: 2 }),
        () => stage.store.cancel(id),
        () => stage.store.finish(lease, { status: "completed" }),
      ];
      for (const step of steps) {
        await step();
        versions.push((await stage.state(id)).version);
      }
      assert.equal(new Set(versions).size, versions.length, `the versions were ${versions.join(", ")}`);
    },
  },
];
