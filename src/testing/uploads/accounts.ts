import assert from "node:assert/strict";
import type { UploadScenario } from "./scenario.js";
import { nothing, stored } from "./stage.js";

const most = Number.MAX_SAFE_INTEGER;

export const accountScenarios: readonly UploadScenario[] = [
  {
    name: "an account that nobody used has nothing",
    async run(stage) {
      assert.deepStrictEqual(await stage.store.use(stage.name(), stage.name()), nothing);
      assert.deepStrictEqual(await stage.store.use(undefined, stage.name()), nothing);
    },
  },
  {
    name: "what an account has is the sum of its records, whoever owns them",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      for (const [index, bytes] of [10, 0, 5, 200].entries()) {
        await stage.create({ ...account, bytes, isOpen: index % 2 === 0, owner: `owner ${index}` });
      }
      assert.deepStrictEqual(await stage.use(account), { open: 2, bytes: 215 });
    },
  },
  {
    name: "accounts of one name are apart by tenant, and none is the account of all",
    async run(stage) {
      const account = stage.name();
      const tenants = [undefined, stage.name(), stage.name()];
      for (const [index, tenant] of tenants.entries()) await stage.create({ tenant, account, bytes: 10 ** index });
      for (const [index, tenant] of tenants.entries())
        assert.deepStrictEqual(await stage.store.use(tenant, account), { open: 1, bytes: 10 ** index });
    },
  },
  {
    name: "a tenant and an account are two texts, however they read behind each other",
    async run(shared) {
      const stage = await shared.another();
      const pairs = [
        ["a", "b"],
        ["ab", ""],
        ["a:", "b"],
        ["a", ":b"],
        ["a:b", ""],
        [undefined, "ab"],
        [undefined, "a:b"],
        [undefined, ":a:b"],
        ["1:a", "b"],
        ["1", "a:b"],
      ] as const;
      for (const [index, [tenant, account]] of pairs.entries()) await stage.create({ tenant, account, bytes: 2 ** index });
      for (const [index, [tenant, account]] of pairs.entries()) {
        assert.deepStrictEqual(await stage.store.use(tenant, account), { open: 1, bytes: 2 ** index });
      }
    },
  },
  {
    name: "limits are those of the account: what others have does not count",
    async run(stage) {
      const { tenant, account } = await stage.create();
      const limits = { mostOpen: 1, mostBytes: 100 };
      await stage.create({ tenant }, limits);
      await stage.create({ account }, limits);
      await stage.create({ tenant: undefined, account }, limits);
      assert.equal((await stage.store.create(stage.upload({ tenant, account }), limits)).outcome, "too-many-open");
    },
  },
  {
    name: "sums are exact beyond what a number holds, once they are back within it",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      const small = await stage.create({ ...account, bytes: 1 });
      const large = await Promise.all([most, most, most - 1].map((bytes) => stage.create({ ...account, bytes })));
      for (const { id } of large) assert.equal(await stage.store.remove(id, 1), true);
      await stage.assertKept(small, { open: 1, bytes: 1 });
    },
  },
  {
    name: "sums do not drift over many changes",
    async run(stage) {
      const first = await stage.create({ bytes: 0 });
      for (let version = 1; version <= 40; version++) {
        stored(await stage.store.update(first.id, version, { isOpen: version % 3 === 0, bytes: (version * 7_919) % 1_000 }));
      }
      assert.deepStrictEqual(await stage.use(first), { open: 0, bytes: (40 * 7_919) % 1_000 });
      assert.equal(await stage.store.remove(first.id, 41), true);
      assert.deepStrictEqual(await stage.use(first), nothing);
    },
  },
];
