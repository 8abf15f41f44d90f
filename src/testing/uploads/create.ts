import assert from "node:assert/strict";
import type { UploadScenario } from "./scenario.js";
import { conflict, stored } from "./stage.js";

/** JSON values that an engine could change. */
const anyJson = [
  null,
  "",
  0,
  -1.5e-7,
  Number.MAX_SAFE_INTEGER,
  0.1 + 0.2,
  false,
  [],
  {},
  [[], [{}], [[1]]],
  "Ünïcode 😀 \u2028 \u0000 \\u0000 '\"$1 ?",
  { "": "empty", 'quote"': 1, nested: { deep: [{ a: null, b: [] }], empty: {} } },
] as const;

/** Names with unusual characters. */
const anyText = ["", " ", "ada", "ADA", "a:b", "a|b", '["a"]', "{a}", "%", "'; --", "Ünïcode 😀\n\t", "e\u0301", "x".repeat(1_000)] as const;

export const createScenarios: readonly UploadScenario[] = [
  {
    name: "several records are read at once, and an id without one is left out",
    async run(stage) {
      const [first, second] = [await stage.create({ data: { n: 1 } }), await stage.create({ tenant: "other", dueAt: undefined })];
      const read = await stage.store.getMany?.([second.id, stage.name(), first.id]);
      if (read === undefined) return;
      assert.deepStrictEqual(new Map(read.map((record) => [record.id, record])), new Map([first, second].map((record) => [record.id, record])));
      assert.deepStrictEqual(await stage.store.getMany?.([]), []);
    },
  },
  {
    name: "a new record has its given members and version 1",
    async run(stage) {
      const data = { parts: [{ n: 1, etag: "a" }], nested: { deep: [null, { x: 1.5 }] } };
      const upload = stage.upload({ isOpen: false, bytes: Number.MAX_SAFE_INTEGER, dueAt: new Date(1_700_000_000_123), data });
      const record = stored(await stage.store.create(upload));
      assert.deepStrictEqual(record, { ...upload, version: 1 });
      await stage.assertKept(record, { open: 0, bytes: Number.MAX_SAFE_INTEGER });
    },
  },
  {
    name: "tenant, due time and data are absent if not given",
    async run(stage) {
      const record = await stage.create({ tenant: undefined, dueAt: undefined, data: undefined, bytes: 0 });
      assert.deepStrictEqual([record.tenant, record.dueAt, record.data], [undefined, undefined, undefined]);
      await stage.assertKept(record, { open: 1, bytes: 0 });
    },
  },
  {
    name: "an empty tenant means no tenant",
    async run(stage) {
      const account = stage.name();
      const [empty, none] = [await stage.create({ tenant: "", account }), await stage.create({ tenant: undefined, account })];
      assert.equal(empty.tenant, undefined);
      for (const record of [empty, none]) await stage.assertKept(record, { open: 2, bytes: 200 });
      assert.deepStrictEqual(await stage.store.use("", account), { open: 2, bytes: 200 });
    },
  },
  {
    name: "data returns any JSON unchanged",
    async run(stage) {
      for (const data of anyJson) {
        const record = await stage.create({ data });
        assert.deepStrictEqual(record.data, data);
        assert.deepStrictEqual((await stage.store.get(record.id))?.data, data);
      }
    },
  },
  {
    name: "ids, owners and accounts can be any text and are never confused",
    async run(shared) {
      const stage = await shared.another();
      for (const [index, text] of anyText.entries()) {
        const record = await stage.create({ id: text, owner: text, account: text, tenant: `tenant ${text}`, bytes: index + 1 });
        await stage.assertKept(record, { open: 1, bytes: index + 1 });
      }
      for (const [index, text] of anyText.entries()) assert.equal((await stage.store.get(text))?.bytes, index + 1);
    },
  },
  {
    name: "due times have a precision of one millisecond, also before 1970 and far in the future",
    async run(stage) {
      for (const ms of [0, 1, -1, 999, 1_700_000_000_001, -62_135_596_800_000, 8.64e15]) {
        const record = await stage.create({ dueAt: new Date(ms) });
        assert.equal(record.dueAt?.getTime(), ms);
        assert.equal((await stage.store.get(record.id))?.dueAt?.getTime(), ms);
      }
    },
  },
  {
    name: "a second create of the same id is a conflict and changes nothing, including sums",
    async run(stage) {
      const record = await stage.create();
      const again = stage.upload({ id: record.id, tenant: record.tenant, account: record.account, bytes: 7, data: "second" });
      assert.deepStrictEqual(await stage.store.create(again), conflict);
      const elsewhere = stage.upload({ id: record.id });
      assert.deepStrictEqual(await stage.store.create(elsewhere), conflict);
      await stage.assertKept(record, { open: 1, bytes: 100 });
      assert.deepStrictEqual(await stage.use(elsewhere), { open: 0, bytes: 0 });
    },
  },
  {
    name: "a second create is a conflict, even if the limits would refuse it",
    async run(stage) {
      const limits = { maxOpen: 1, maxBytes: 100 };
      const record = await stage.create({}, limits);
      const { version: _none, ...again } = record;
      assert.deepStrictEqual(await stage.store.create(again, limits), conflict);
      await stage.assertKept(record, { open: 1, bytes: 100 });
    },
  },
  {
    name: "get returns undefined for an unknown record",
    async run(stage) {
      assert.equal(await stage.store.get(stage.name()), undefined);
    },
  },
  {
    name: "values that a caller changes later do not change the stored record",
    async run(stage) {
      const [data, dueAt] = [{ list: [1] }, new Date(1_700_000_000_000)];
      const record = await stage.create({ data, dueAt });
      data.list.push(2);
      dueAt.setTime(0);
      record.dueAt?.setTime(1);
      (record.data as typeof data).list.push(3);
      const kept = await stage.store.get(record.id);
      assert.deepStrictEqual([kept?.data, kept?.dueAt], [{ list: [1] }, new Date(1_700_000_000_000)]);
    },
  },
];
