import assert from "node:assert/strict";
import type { UploadOutcome } from "../../ground/storage/files/uploads.js";
import type { UploadScenario } from "./scenario.js";
import { stored, together } from "./stage.js";

function tally(outcomes: readonly UploadOutcome[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { outcome } of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

export const uploadRaceScenarios: readonly UploadScenario[] = [
  {
    name: "of 30 concurrent updates of one version exactly one succeeds, and its bytes count",
    async run(stage) {
      const { id, ...account } = await stage.create();
      const outcomes = await together((index) => stage.store.update(id, 1, { bytes: index, data: index, isOpen: index % 2 === 0 }), 30);
      assert.deepStrictEqual(tally(outcomes), { stored: 1, conflict: 29 });
      const won = outcomes.findIndex(({ outcome }) => outcome === "stored");
      assert.equal((await stage.store.get(id))?.data, won);
      assert.deepStrictEqual(await stage.use(account), { open: won % 2 === 0 ? 1 : 0, bytes: won });
    },
  },
  {
    name: "of 30 concurrent updates that change no sum exactly one succeeds",
    async run(stage) {
      const { id, ...account } = await stage.create();
      const outcomes = await together((index) => stage.store.update(id, 1, { data: index }), 30);
      assert.deepStrictEqual(tally(outcomes), { stored: 1, conflict: 29 });
      assert.equal(
        (await stage.store.get(id))?.data,
        outcomes.findIndex(({ outcome }) => outcome === "stored"),
      );
      assert.deepStrictEqual(await stage.use(account), { open: 1, bytes: 100 });
    },
  },
  {
    name: "of 20 concurrent creates of one id exactly one succeeds and is counted once",
    async run(stage) {
      const upload = stage.upload();
      const outcomes = await together((index) => stage.store.create({ ...upload, data: index }), 20);
      assert.deepStrictEqual(tally(outcomes), { stored: 1, conflict: 19 });
      assert.equal(
        (await stage.store.get(upload.id))?.data,
        outcomes.findIndex(({ outcome }) => outcome === "stored"),
      );
      assert.deepStrictEqual(await stage.use(upload), { open: 1, bytes: 100 });
    },
  },
  {
    name: "of 40 concurrent creates exactly as many succeed as may be open",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      const outcomes = await together(() => stage.store.create(stage.upload(account), { maxOpen: 10 }), 40);
      assert.deepStrictEqual(tally(outcomes), { stored: 10, "too-many-open": 30 });
      assert.deepStrictEqual(await stage.use(account), { open: 10, bytes: 1_000 });
    },
  },
  {
    name: "of 40 concurrent creates exactly as many succeed as the bytes allow",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      const outcomes = await together(() => stage.store.create(stage.upload({ ...account, bytes: 30 }), { maxBytes: 300 }), 40);
      assert.deepStrictEqual(tally(outcomes), { stored: 10, "over-quota": 30 });
      assert.deepStrictEqual(await stage.use(account), { open: 10, bytes: 300 });
    },
  },
  {
    name: "concurrent increases together respect the limit",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      const records = await together(() => stage.create({ ...account, bytes: 10, isOpen: false }), 20);
      const outcomes = await Promise.all(
        records.map(({ id }) => stage.store.update(id, 1, { bytes: 20, isOpen: true }, { maxBytes: 250, maxOpen: 100 })),
      );
      assert.deepStrictEqual(tally(outcomes), { stored: 5, "over-quota": 15 });
      assert.deepStrictEqual(await stage.use(account), { open: 5, bytes: 250 });
    },
  },
  {
    name: "concurrent creates, updates and removals leave exact sums, repeatedly from an empty account",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      for (let round = 0; round < 5; round++) {
        const kept = await together(async (index) => {
          const { id } = await stage.create({ ...account, bytes: index });
          const { bytes } = stored(await stage.store.update(id, 1, { bytes: index + 1, isOpen: index % 2 === 0 }));
          if (index % 3 === 0) return { id, bytes, isOpen: index % 2 === 0 };
          assert.equal(await stage.store.remove(id, 2), true);
          return undefined;
        }, 12);
        const there = kept.filter((one) => one !== undefined);
        const sum = { open: there.filter(({ isOpen }) => isOpen).length, bytes: there.reduce((total, { bytes }) => total + bytes, 0) };
        assert.deepStrictEqual(await stage.use(account), sum);
        await Promise.all(there.map(({ id }) => stage.store.remove(id, 2)));
        assert.deepStrictEqual(await stage.use(account), { open: 0, bytes: 0 });
      }
    },
  },
  {
    name: "of 20 concurrent removals exactly one succeeds, and its bytes are subtracted once",
    async run(stage) {
      const first = await stage.create();
      await stage.create({ tenant: first.tenant, account: first.account });
      const removed = await together(() => stage.store.remove(first.id, 1), 20);
      assert.equal(removed.filter(Boolean).length, 1);
      assert.deepStrictEqual(await stage.use(first), { open: 1, bytes: 100 });
    },
  },
  {
    name: "a concurrent update and removal are ordered, and the sums match the order",
    async run(stage) {
      for (let round = 0; round < 10; round++) {
        const { id, ...account } = await stage.create();
        const [updated, removed] = await Promise.all([stage.store.update(id, 1, { bytes: 7, isOpen: false }), stage.store.remove(id, 1)]);
        assert.equal(updated.outcome, removed ? "conflict" : "stored");
        assert.deepStrictEqual(await stage.use(account), { open: 0, bytes: removed ? 0 : 7 });
      }
    },
  },
  {
    name: "concurrent creates and removals of one id leave exact sums",
    async run(stage) {
      const upload = stage.upload();
      const creates = together(() => stage.store.create(upload, { maxOpen: 1 }), 15);
      await Promise.all([creates, together(() => stage.store.remove(upload.id, 1), 15), together(() => stage.store.create(upload), 5)]);
      const there = (await stage.store.get(upload.id)) !== undefined;
      assert.deepStrictEqual(await stage.use(upload), there ? { open: 1, bytes: 100 } : { open: 0, bytes: 0 });
    },
  },
];
