import assert from "node:assert/strict";
import type { UploadScenario } from "./scenario.js";
import { stored, type UploadStage } from "./stage.js";

async function dueIds(stage: UploadStage, ms: number, limit = 100): Promise<readonly string[]> {
  return (await stage.store.due(new Date(ms), limit)).map(({ id }) => id);
}

export const dueScenarios: readonly UploadScenario[] = [
  {
    name: "due returns complete records, the most overdue first, at most the requested number",
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
    name: "a record is due exactly at its due time",
    async run(shared) {
      const stage = await shared.another();
      const { id } = await stage.create({ dueAt: new Date(1_700_000_000_123) });
      assert.deepStrictEqual(await dueIds(stage, 1_700_000_000_122), []);
      assert.deepStrictEqual(await dueIds(stage, 1_700_000_000_123), [id]);
    },
  },
  {
    name: "a record without a due time is never due, from its creation or after an update",
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
    name: "a record that is postponed or removed is no longer due",
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
    name: "a refused record is not due",
    async run(shared) {
      const stage = await shared.another();
      await stage.store.create(stage.upload({ dueAt: new Date(1) }), { maxOpen: 0 });
      const { id } = await stage.create();
      await stage.store.update(id, 1, { dueAt: new Date(1), bytes: 1_000 }, { maxBytes: 1 });
      assert.deepStrictEqual(await dueIds(stage, 10), []);
    },
  },
  {
    name: "due of an account only returns its records, even if many others are due before",
    async run(shared) {
      const stage = await shared.another();
      const own = { tenant: "t", account: "ada" };
      for (const other of [
        { tenant: "t", account: "bo" },
        { tenant: undefined, account: "ada" },
        { tenant: "u", account: "ada" },
      ]) {
        for (let ms = 1; ms <= 5; ms++) await stage.create({ ...other, dueAt: new Date(ms) });
      }
      const made = [];
      for (const ms of [30, 10, 20, 60]) made.push(await stage.create({ ...own, dueAt: new Date(ms) }));
      await stage.create(own);
      const sorted = made.toSorted((left, right) => Number(left.dueAt) - Number(right.dueAt));
      assert.deepStrictEqual(await stage.store.due(new Date(50), 100, own), sorted.slice(0, 3));
      assert.deepStrictEqual(await stage.store.due(new Date(50), 2, own), sorted.slice(0, 2));
      assert.equal((await stage.store.due(new Date(50), 100, { tenant: undefined, account: "ada" })).length, 5);
      assert.deepStrictEqual(await stage.store.due(new Date(50), 100, { tenant: "t", account: "cy" }), []);
    },
  },
  {
    name: "records with the same due time are returned once each, always in the same order",
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
