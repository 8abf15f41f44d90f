import assert from "node:assert/strict";
import type { Row } from "../../ground/storage/collection.js";
import type { Outcome } from "../../ground/storage/outcome.js";
import { assertConflict, assertMissing, assertSameRow, assertStale, assertValues, writtenRow } from "../storage/assertions.js";
import type { CollectionScenario } from "./collectionScenario.js";
import type { CollectionStage } from "./collectionStage.js";

const contenders = 20;

/** The reserved members belong to the store. */
function fieldsOf({ _version, _updatedAt, ...fields }: Row): Readonly<Record<string, unknown>> {
  return fields;
}

function successes(outcomes: readonly Outcome<Row>[]): number {
  return outcomes.filter(({ ok }) => ok).length;
}

/** Whether sample rows bring their ids. */
const bringsIds = (stage: CollectionStage) => (stage.sample(0)[stage.model.id] ?? undefined) !== undefined;

export const collectionWriteScenarios: readonly CollectionScenario[] = [
  {
    name: "an inserted row is answered and read back with its values",
    async run(stage) {
      await stage.fill(0);
      for (let index = 0; index < 5; index++) {
        const given = stage.sample(index);
        const written = writtenRow(await stage.rows.insert(given, stage.call));
        assertValues(written, fieldsOf(given));
        assertSameRow(await stage.rows.get(stage.idOf(written), stage.call), written);
      }
    },
  },
  {
    name: "an insert with a taken id is a conflict and changes nothing",
    async run(stage) {
      const [first] = await stage.fill(2);
      assert.ok(first !== undefined);
      if (!bringsIds(stage)) return;
      const ids = stage.model.idParts ?? [stage.model.id];
      const taken = { ...stage.sample(2), ...Object.fromEntries([stage.model.id, ...ids].map((name) => [name, first[name]])) };
      assertConflict(await stage.rows.insert(taken, stage.call), ids);
      assertSameRow(await stage.rows.get(stage.idOf(first), stage.call), first);
    },
  },
  {
    name: "an insert with a taken unique key is a conflict that names its fields, and stores no row",
    async run(stage) {
      const { unique } = stage.model;
      for (const { fields } of unique.filter((key) => stage.rows.can.uniqueKeys.some((known) => String(known) === String(key.fields)))) {
        const [first] = await stage.fill(2);
        assert.ok(
          first !== undefined && fields.every((name) => (first[name] ?? null) !== null),
          `row(0) has no value of the key ${fields.join(", ")}`,
        );
        const taken = { ...stage.sample(2), ...Object.fromEntries(fields.map((name) => [name, first[name]])) };
        assertConflict(await stage.rows.insert(taken, stage.call), fields);
        assert.equal(await stage.rows.count(undefined, stage.call), 2);
      }
    },
  },
  {
    name: "an update sets its fields, keeps the others and changes the version",
    async run(stage) {
      const stored = await stage.fill(5);
      const [first] = stored;
      assert.ok(first !== undefined);
      const { name, value } = stage.change(stored);
      const row = writtenRow(await stage.rows.update(stage.idOf(first), { [name]: value, ...stage.stamp() }, stage.call));
      assertValues(row, { ...fieldsOf(first), [name]: value });
      assert.notEqual(row._version, first._version);
      assertSameRow(await stage.rows.get(stage.idOf(first), stage.call), row);
      for (const other of stored.slice(1)) assertSameRow(await stage.rows.get(stage.idOf(other), stage.call), other);
    },
  },
  {
    name: "an update and a remove of another version are stale and change nothing",
    needs: { compareAndSet: true },
    async run(stage) {
      const stored = await stage.fill(5);
      const [first] = stored;
      assert.ok(first !== undefined);
      const id = stage.idOf(first);
      const { name, value } = stage.change(stored);
      const current = writtenRow(await stage.rows.update(id, { [name]: value, ...stage.stamp() }, { ...stage.call, ifVersion: first._version }));
      const late = { [name]: first[name], ...stage.stamp() };
      assertStale(await stage.rows.update(id, late, { ...stage.call, ifVersion: first._version }), current._version);
      assertStale(await stage.rows.remove(id, { ...stage.call, ifVersion: first._version }), current._version);
      assertSameRow(await stage.rows.get(id, stage.call), current);
      assert.ok((await stage.rows.remove(id, { ...stage.call, ifVersion: current._version })).ok);
    },
  },
  {
    name: `of ${contenders} concurrent updates of one version exactly one succeeds`,
    needs: { compareAndSet: true },
    async run(stage) {
      const stored = await stage.fill(5);
      const [first] = stored;
      assert.ok(first !== undefined);
      const { name, value } = stage.change(stored);
      const outcomes = await Promise.all(
        Array.from({ length: contenders }, () =>
          stage.rows.update(stage.idOf(first), { [name]: value, ...stage.stamp() }, { ...stage.call, ifVersion: first._version }),
        ),
      );
      assert.equal(successes(outcomes), 1);
    },
  },
  {
    name: "a removed row is gone, and so is one that never was",
    async run(stage) {
      const [first, second] = await stage.fill(2);
      assert.ok(first !== undefined && second !== undefined);
      const id = stage.idOf(first);
      assertSameRow(writtenRow(await stage.rows.remove(id, stage.call)), first);
      assert.equal(await stage.rows.get(id, stage.call), undefined);
      assertMissing(await stage.rows.remove(id, stage.call));
      assertMissing(await stage.rows.update(id, stage.stamp(), stage.call));
      assertSameRow(await stage.rows.get(stage.idOf(second), stage.call), second);
    },
  },
  {
    name: "a batch of inserts has an outcome for each row, in order, and a conflict leaves the others",
    async run(stage) {
      const [first] = await stage.fill(1);
      assert.ok(first !== undefined);
      const taken = bringsIds(stage) ? [{ ...stage.sample(0), [stage.model.id]: first[stage.model.id] }] : [];
      const given = [stage.sample(1), ...taken, stage.sample(2), stage.sample(3)];
      const outcomes = await stage.rows.insertMany(given, stage.call);
      assert.deepStrictEqual(
        outcomes.map(({ ok }) => ok),
        given.map((row) => !taken.includes(row)),
      );
      for (const [index, outcome] of outcomes.entries()) if (outcome.ok) assertValues(outcome.row, fieldsOf(given[index] as Row));
      assert.equal(await stage.rows.count(undefined, stage.call), 4);
    },
  },
  {
    name: "a repeated operation returns the row of the first one",
    async run(stage) {
      await stage.fill(0);
      const operationId = "01JDKX0Z8N7Q4T5V6W7X8Y9Z00";
      const first = writtenRow(await stage.rows.insert(stage.sample(0), { ...stage.call, operationId }));
      const again = await stage.rows.insert(stage.sample(0), { ...stage.call, operationId });
      assert.ok(again.ok && again.created === false, "the second insert of one operation is no new row");
      assertSameRow(again.row, first);
      assert.equal(await stage.rows.count(undefined, stage.call), 1);
    },
  },
  {
    name: "a transaction that throws leaves nothing, and one that returns leaves all",
    needs: { transactions: true },
    async run(stage) {
      const [first] = await stage.fill(1);
      assert.ok(first !== undefined);
      const write = (fails: boolean) => async (tx: Parameters<CollectionStage["in"]>[0]) => {
        const rows = stage.in(tx);
        writtenRow(await rows.insert(stage.sample(1), stage.call));
        writtenRow(await rows.remove(stage.idOf(first), stage.call));
        if (fails) throw new RangeError("rolled back");
      };
      await assert.rejects(async () => stage.storage.transaction?.(write(true)), RangeError);
      assertSameRow(await stage.rows.get(stage.idOf(first), stage.call), first);
      assert.equal(await stage.rows.count(undefined, stage.call), 1);
      await stage.storage.transaction?.(write(false));
      assert.equal(await stage.rows.get(stage.idOf(first), stage.call), undefined);
      assert.equal(await stage.rows.count(undefined, stage.call), 1);
    },
  },
  {
    name: "another tenant reads, counts, changes and removes no row",
    needs: { tenants: true },
    async run(stage) {
      const stored = await stage.fill(3);
      const [first] = stored;
      assert.ok(first !== undefined);
      const id = stage.idOf(first);
      const other = { tenant: stage.tenants?.[1] };
      assert.equal(await stage.rows.get(id, other), undefined);
      assert.deepStrictEqual(await stage.rows.find({ sort: [], limit: 10 }, other), []);
      assert.equal(await stage.rows.count(undefined, other), 0);
      assertMissing(await stage.rows.update(id, stage.stamp(), other));
      assertMissing(await stage.rows.remove(id, other));
      assertSameRow(await stage.rows.get(id, stage.call), first);
    },
  },
];
