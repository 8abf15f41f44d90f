import assert from "node:assert/strict";
import type { UploadScenario } from "./scenario.js";
import { stored, type UploadStage } from "./stage.js";

async function dueIds(stage: UploadStage, ms: number, limit = 100): Promise<readonly string[]> {
  return (await stage.store.due(new Date(ms), limit)).map(({ id }) => id);
}

export const dueScenarios: readonly UploadScenario[] = [
  {
    name: "the most overdue come first, each with all that it has, and no more than were asked for",
    async run(shared) {
      const stage = await shared.another();
      const made = [];
      for (const ms of [500, 100, 400, 200, 300]) made.push(await stage.create({ dueAt: new Date(ms), data: { ms } }));
      const sorted = made.toSorted((left, right) => Number(left.dueAt) - Number(right.dueAt));
      assert.deepStrictEqual(await stage.store.due(new Date(1_000), 3), sorted.slice(0, 3));
      assert.deepStrictEqual(await stage.store.due(new Date(1_000), 100), sorted);
    },
  },
  {
    name: "a record is due at its very instant and not a millisecond before",
    async run(shared) {
      const stage = await shared.another();
      const { id } = await stage.create({ dueAt: new Date(1_700_000_000_123) });
      assert.deepStrictEqual(await dueIds(stage, 1_700_000_000_122), []);
      assert.deepStrictEqual(await dueIds(stage, 1_700_000_000_123), [id]);
    },
  },
  {
    name: "what has no instant is never due, whether it began so or became so",
    async run(shared) {
      const stage = await shared.another();
      await stage.create();
      const { id } = await stage.create({ dueAt: new Date(1) });
      stored(await stage.store.update(id, 1, { dueAt: undefined }));
      assert.deepStrictEqual(await dueIds(stage, 8.64e15), []);
      stored(await stage.store.update(id, 2, { dueAt: new Date(5) }));
      assert.deepStrictEqual(await dueIds(stage, 8.64e15), [id]);
    },
  },
  {
    name: "who puts an instant off, or removes the record, takes it from those that are due",
    async run(shared) {
      const stage = await shared.another();
      const [first, second, third] = [
        await stage.create({ dueAt: new Date(1) }),
        await stage.create({ dueAt: new Date(2) }),
        await stage.create({ dueAt: new Date(3) }),
      ];
      stored(await stage.store.update(first.id, 1, { dueAt: new Date(10) }));
      assert.equal(await stage.store.remove(second.id, 1), true);
      stored(await stage.store.update(third.id, 1, { bytes: 1, isOpen: false }));
      assert.deepStrictEqual(await dueIds(stage, 9), [third.id]);
      assert.deepStrictEqual(await dueIds(stage, 10), [third.id, first.id]);
    },
  },
  {
    name: "what was refused is not due",
    async run(shared) {
      const stage = await shared.another();
      await stage.store.create(stage.upload({ dueAt: new Date(1) }), { mostOpen: 0 });
      const { id } = await stage.create();
      await stage.store.update(id, 1, { dueAt: new Date(1), bytes: 1_000 }, { mostBytes: 1 });
      assert.deepStrictEqual(await dueIds(stage, 10), []);
    },
  },
  {
    name: "of many with one instant each comes once, in the same order each time, those of all tenants and accounts",
    async run(shared) {
      const stage = await shared.another();
      const made = [];
      for (let count = 0; count < 20; count++) made.push((await stage.create({ dueAt: new Date(7), tenant: count % 2 ? undefined : "t" })).id);
      const due = await dueIds(stage, 7);
      assert.deepStrictEqual(due.toSorted(), made.toSorted());
      assert.deepStrictEqual(await dueIds(stage, 7, 5), due.slice(0, 5));
      assert.deepStrictEqual(await dueIds(stage, 7, 0), []);
    },
  },
];
