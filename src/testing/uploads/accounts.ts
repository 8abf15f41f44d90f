import assert from "node:assert/strict";
import type { UploadScenario } from "./scenario.js";
import { nothing, stored } from "./stage.js";

const most = Number.MAX_SAFE_INTEGER;

export const accountScenarios: readonly UploadScenario[] = [
  {
    name: "an unused account has sums of zero",
    async run(stage) {
      assert.deepStrictEqual(await stage.store.use(stage.name(), stage.name()), nothing);
      assert.deepStrictEqual(await stage.store.use(undefined, stage.name()), nothing);
    },
  },
  {
    name: "the sums of an account include its records of all owners",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      for (const [index, bytes] of [10, 0, 5, 200].entries()) {
        await stage.create({ ...account, bytes, isOpen: index % 2 === 0, owner: `owner ${index}` });
      }
      assert.deepStrictEqual(await stage.use(account), { open: 2, bytes: 215 });
    },
  },
  {
    name: "accounts of the same name are separate for each tenant and without one",
    async run(stage) {
      const account = stage.name();
      const tenants = [undefined, stage.name(), stage.name()];
      for (const [index, tenant] of tenants.entries()) await stage.create({ tenant, account, bytes: 10 ** index });
      for (const [index, tenant] of tenants.entries())
        assert.deepStrictEqual(await stage.store.use(tenant, account), { open: 1, bytes: 10 ** index });
    },
  },
  {
    name: "a tenant and an account with the same concatenated text are separate",
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
    name: "limits only count the records of the account",
    async run(stage) {
      const { tenant, account } = await stage.create();
      const limits = { maxOpen: 1, maxBytes: 100 };
      await stage.create({ tenant }, limits);
      await stage.create({ account }, limits);
      await stage.create({ tenant: undefined, account }, limits);
      assert.equal((await stage.store.create(stage.upload({ tenant, account }), limits)).outcome, "too-many-open");
    },
  },
  {
    name: "sums stay exact after they exceeded the exact range of a number",
    async run(stage) {
      const account = { tenant: stage.name(), account: stage.name() };
      const small = await stage.create({ ...account, bytes: 1 });
      const large = await Promise.all([most, most, most - 1].map((bytes) => stage.create({ ...account, bytes })));
      for (const { id } of large) assert.equal(await stage.store.remove(id, 1), true);
      await stage.assertKept(small, { open: 1, bytes: 1 });
    },
  },
  {
    name: "sums stay exact over many changes",
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
