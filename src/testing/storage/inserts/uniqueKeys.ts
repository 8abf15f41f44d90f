import assert from "node:assert/strict";
import type { UniqueKey } from "../../../ground/storage/model.js";
import type { RowValues } from "../../../ground/storage/values/rowValues.js";
import { assertConflict, assertSameRow, assertValues, writtenRow } from "../assertions.js";
import type { Needs, Scenario } from "../scenario.js";

interface Pair {
  readonly name: string;
  readonly key: UniqueKey;
  readonly first: RowValues;
  readonly second: RowValues;
  readonly collide: boolean;
  readonly needs?: Needs;
}

const email: UniqueKey = { fields: ["email"], fold: true };
const code: UniqueKey = { fields: ["code"] };
const nameAndCode: UniqueKey = { fields: ["name", "code"] };
const unicodeFold: Needs = { unicodeFold: true };

const pairs: readonly Pair[] = [
  { name: "equal text collides", key: code, first: { code: "x" }, second: { code: "x" }, collide: true },
  { name: "text that differs by case does not collide", key: code, first: { code: "é" }, second: { code: "É" }, collide: false },
  { name: "NFC and NFD of one text collide", key: code, first: { code: "\u00e9" }, second: { code: "e\u0301" }, collide: true, needs: unicodeFold },
  { name: "empty text is a value and collides", key: code, first: { code: "" }, second: { code: "" }, collide: true },
  { name: "text that differs by a space does not collide", key: code, first: { code: "x" }, second: { code: "x " }, collide: false },
  { name: "nulls never collide", key: code, first: { code: null }, second: { code: null }, collide: false },
  { name: "absent members never collide", key: code, first: {}, second: {}, collide: false },
  { name: "folded e-mails collide", key: email, first: { email: "Ada@Example.com" }, second: { email: "ada@EXAMPLE.COM" }, collide: true },
  { name: "folded É and é collide", key: email, first: { email: "É@x.org" }, second: { email: "é@x.org" }, collide: true, needs: unicodeFold },
  { name: "folded É and e + U+0301 collide", key: email, first: { email: "É@x" }, second: { email: "e\u0301@x" }, collide: true, needs: unicodeFold },
  { name: "folded nulls never collide", key: email, first: { email: null }, second: {}, collide: false },
  { name: "both members alike collide", key: nameAndCode, first: { name: "a", code: "b" }, second: { name: "a", code: "b" }, collide: true },
  { name: "one member alike does not collide", key: nameAndCode, first: { name: "a", code: "b" }, second: { name: "a", code: "c" }, collide: false },
  { name: "members do not run together", key: nameAndCode, first: { name: "a", code: "bc" }, second: { name: "ab", code: "c" }, collide: false },
  { name: "a null member never collides", key: nameAndCode, first: { name: "a", code: null }, second: { name: "a" }, collide: false },
  { name: "int 0 collides", key: { fields: ["quantity"] }, first: { quantity: 0 }, second: { quantity: 0 }, collide: true },
  {
    name: "bigints that round to one double do not collide",
    key: { fields: ["serial"] },
    first: { serial: 9_007_199_254_740_992n },
    second: { serial: 9_007_199_254_740_993n },
    collide: false,
  },
  {
    name: "instants a millisecond apart do not collide",
    key: { fields: ["at"] },
    first: { at: new Date(1) },
    second: { at: new Date(2) },
    collide: false,
  },
  { name: "equal instants collide", key: { fields: ["at"] }, first: { at: new Date(1) }, second: { at: new Date(1) }, collide: true },
];

const pairScenarios = pairs.map(
  ({ name, key, first, second, collide, needs }): Scenario => ({
    name: `unique ${key.fields.join(" and ")}: ${name}`,
    needs,
    async run(stage) {
      const items = await stage.open({ unique: [key] });
      await items.add({ id: "a", ...first });
      const outcome = await items.rows.insert(items.row({ id: "b", ...second }), {});
      if (!collide) return assertValues(writtenRow(outcome), second);
      assertConflict(outcome, key.fields);
      assert.equal(await items.rows.get("b", {}), undefined);
    },
  }),
);

export const uniqueKeyScenarios: readonly Scenario[] = [
  ...pairScenarios,
  {
    name: "the conflict names the unique key that is taken",
    async run(stage) {
      const items = await stage.open({ unique: [email, code] });
      await items.add({ id: "a", email: "a@x.org", code: "1" });
      assertConflict(await items.rows.insert(items.row({ id: "b", email: "b@x.org", code: "1" }), {}), ["code"]);
      assertConflict(await items.rows.insert(items.row({ id: "b", email: "A@x.org", code: "2" }), {}), ["email"]);
    },
  },
  {
    name: "a refused insert takes none of its keys",
    async run(stage) {
      const items = await stage.open({ unique: [email, code] });
      await items.add({ id: "a", email: "a@x.org", code: "1" });
      await items.rows.insert(items.row({ id: "b", email: "b@x.org", code: "1" }), {});
      await items.add({ id: "c", email: "b@x.org", code: "2" });
    },
  },
  {
    name: "an update to a key that is taken is a conflict and changes nothing",
    async run(stage) {
      const items = await stage.open({ unique: [email] });
      await items.add({ id: "a", email: "a@x.org" });
      const before = await items.add({ id: "b", email: "b@x.org", name: "before" });
      const outcome = await items.rows.update("b", { email: "A@X.org", name: "after", ...stage.stamp() }, {});
      assertConflict(outcome, ["email"]);
      assertSameRow(await items.rows.get("b", {}), before);
    },
  },
  {
    name: "a replacement with a key that is taken is a conflict and changes nothing",
    async run(stage) {
      const items = await stage.open({ unique: [code] });
      await items.add({ id: "a", code: "1" });
      const before = await items.add({ id: "b", code: "2", name: "before" });
      assertConflict(await items.rows.update("b", { code: "1", ...stage.stamp() }, { replace: true }), ["code"]);
      assertSameRow(await items.rows.get("b", {}), before);
    },
  },
  {
    name: "a row may be updated to its own key, also in another case",
    async run(stage) {
      const items = await stage.open({ unique: [email] });
      await items.add({ id: "a", email: "ada@x.org" });
      const row = writtenRow(await items.rows.update("a", { email: "Ada@X.org", ...stage.stamp() }, {}));
      assertValues(row, { email: "Ada@X.org" });
      assertConflict(await items.rows.insert(items.row({ id: "b", email: "ada@x.org" }), {}), ["email"]);
    },
  },
  {
    name: "an update frees the old key and takes the new one",
    async run(stage) {
      const items = await stage.open({ unique: [code] });
      await items.add({ id: "a", code: "old" });
      await items.rows.update("a", { code: "new", ...stage.stamp() }, {});
      await items.add({ id: "b", code: "old" });
      assertConflict(await items.rows.insert(items.row({ id: "c", code: "new" }), {}), ["code"]);
    },
  },
  {
    name: "a key is free after its row is removed, and after it is set to null",
    async run(stage) {
      const items = await stage.open({ unique: [code] });
      await items.addAll([
        { id: "a", code: "1" },
        { id: "b", code: "2" },
      ]);
      await items.rows.remove("a", {});
      await items.rows.update("b", { code: null, ...stage.stamp() }, {});
      await items.addAll([
        { id: "c", code: "1" },
        { id: "d", code: "2" },
      ]);
    },
  },
  {
    name: "two rows swap their keys through a third value",
    async run(stage) {
      const items = await stage.open({ unique: [code] });
      await items.addAll([
        { id: "a", code: "1" },
        { id: "b", code: "2" },
      ]);
      for (const [id, value] of [
        ["a", "3"],
        ["b", "1"],
        ["a", "2"],
      ] as const) {
        writtenRow(await items.rows.update(id, { code: value, ...stage.stamp() }, {}));
      }
      assertConflict(await items.rows.insert(items.row({ id: "c", code: "1" }), {}), ["code"]);
      await items.add({ id: "d", code: "3" });
    },
  },
  {
    name: "a key is unique within a tenant only",
    async run(stage) {
      const items = await stage.open({ unique: [email] });
      const row = { email: "a@x.org" };
      await items.add({ id: "a", ...row }, { tenant: "acme" });
      await items.add({ id: "b", ...row }, { tenant: "globex" });
      await items.add({ id: "c", ...row });
      assertConflict(await items.rows.insert(items.row({ id: "d", ...row }), { tenant: "acme" }), ["email"]);
      assertConflict(await items.rows.insert(items.row({ id: "d", ...row }), {}), ["email"]);
    },
  },
];
