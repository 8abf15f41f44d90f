import assert from "node:assert/strict";
import type { Begun, IdempotencyStore } from "../../ground/storage/idempotency.js";
import type { Storage } from "../../ground/storage/storage.js";
import { assertDone, assertInFlight, bytes } from "./assertions.js";
import { chaos } from "./chaos.js";
import type { IdempotencyNeeds, IdempotencyScenario } from "./scenario.js";
import { acquired, type IdempotencyStage, idempotencyOf } from "./stage.js";

const needs: IdempotencyNeeds = { transactions: true };

/** Makes a transaction fail on purpose. */
class Rollback extends Error {}

async function rolledBack(stage: IdempotencyStage, run: (store: IdempotencyStore, tx: Storage) => Promise<void>): Promise<void> {
  const rollback = new Rollback("on purpose");
  const transaction = stage.transaction(async (store, tx) => {
    await run(store, tx);
    throw rollback;
  });
  await assert.rejects(transaction, (error) => error === rollback);
}

export const idempotencyTransactionScenarios: readonly IdempotencyScenario[] = [
  {
    name: "a complete and a row commit together",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      await stage.transaction(async (store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.equal(await store.complete(id, operationId, 1, bytes("response")), true);
        assert.equal(await store.complete(id, operationId, 1, bytes("again")), false);
      });
      assertDone(await stage.begin(id), bytes("response"));
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "a complete and a row roll back together, and both can be repeated",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      await rolledBack(stage, async (store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        assert.equal(await store.complete(id, operationId, 1, bytes("lost")), true);
      });
      assertInFlight(await stage.begin(id));
      assert.equal(await items.rows.count(undefined, {}), 0);
      assert.equal(await stage.store.complete(id, operationId, 1, bytes("response")), true);
      assertDone(await stage.begin(id), bytes("response"));
    },
  },
  {
    name: "a begin outside of a transaction depends only on its committed result",
    needs,
    async run(stage) {
      for (const outcome of ["commit", "roll back"] as const) {
        const id = stage.id();
        const { operationId } = acquired(await stage.begin(id));
        let outside: Promise<Begun> | undefined;
        const work = async (store: IdempotencyStore) => {
          assert.equal(await store.complete(id, operationId, 1, bytes("response")), true);
          outside = stage.begin(id);
          for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        };
        if (outcome === "commit") await stage.transaction(work);
        else await rolledBack(stage, work);
        assert.ok(outside !== undefined);
        const begun = await outside;
        if (outcome === "roll back" || begun.kind === "inFlight") assertInFlight(begun);
        else assertDone(begun, bytes("response"));
      }
    },
  },
  {
    name: "a begin that is rolled back changes nothing",
    needs,
    async run(stage) {
      const id = stage.id();
      await rolledBack(stage, async (store) => {
        const { operationId } = acquired(await store.begin(id, stage.request({ fingerprint: "first" })));
        assertInFlight(await store.begin(id, stage.request()), "first");
        assert.equal(await store.complete(id, operationId, 1, bytes("lost")), true);
        assertDone(await store.begin(id, stage.request()), bytes("lost"), "first");
      });
      assert.equal(acquired(await stage.begin(id)).attempt, 1);
    },
  },
  {
    name: "an abandon that is rolled back changes nothing",
    needs,
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      await rolledBack(stage, async (store) => {
        assert.equal(await store.abandon(id, operationId, 1), true);
        assert.equal(await store.complete(id, operationId, 1, bytes("lost")), false);
      });
      assertInFlight(await stage.begin(id));
      await stage.transaction((store) => store.abandon(id, operationId, 1));
      acquired(await stage.begin(id));
    },
  },
  {
    name: "a complete in a nested transaction is undone with it alone",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      await stage.transaction(async (_store, tx) => {
        await items.in(tx).insert(items.row({ id: "a" }), {});
        const nested = tx.transaction?.(async (inner) => {
          assert.equal(await idempotencyOf(inner).complete(id, operationId, 1, bytes("lost")), true);
          throw new Rollback("on purpose");
        });
        await assert.rejects(async () => nested, Rollback);
      });
      assertInFlight(await stage.begin(id));
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "a lost lease is refused inside a transaction, which stays usable",
    needs,
    async run(stage) {
      const items = await stage.rows();
      const { id, operationId } = await stage.overdue();
      acquired(await stage.begin(id));
      await stage.transaction(async (store, tx) => {
        assert.equal(await store.complete(id, operationId, 1, bytes("stale")), false);
        assert.equal(await store.abandon(id, operationId, 1), false);
        await items.in(tx).insert(items.row({ id: "a" }), {});
      });
      assertInFlight(await stage.begin(id));
      assert.equal(await items.rows.count(undefined, {}), 1);
    },
  },
  {
    name: "with leases of 3 ms every key writes its row exactly once, if the row commits with the record",
    needs,
    async run(stage) {
      const items = await stage.rows();
      let rows = 0;
      let lost = 0;
      const ids = await chaos(stage, async (id, { operationId, attempt }) => {
        rows += 1;
        const row = items.row({ id: `row${rows}`, name: id });
        const write = stage.transaction(async (store, tx) => {
          await items.in(tx).insert(row, {});
          if (!(await store.complete(id, operationId, attempt, bytes("response")))) throw new Rollback("the lease was lost");
        });
        await write.catch((error: unknown) => {
          if (!(error instanceof Rollback)) throw error;
          lost += 1;
        });
      });
      const written = await items.rows.find({ sort: [], limit: 1_000 }, {});
      assert.deepStrictEqual(written.map(({ name }) => name).sort(), [...ids].sort());
      assert.ok(lost > 0, "no lease was lost: this has shown nothing");
    },
  },
  {
    name: "the store of an ended transaction cannot write",
    needs,
    async run(stage) {
      const id = stage.id();
      const { operationId } = acquired(await stage.begin(id));
      const ended = await stage.transaction(async (store) => store);
      await assert.rejects(async () => ended.complete(id, operationId, 1, bytes("late")));
      assertInFlight(await stage.begin(id));
    },
  },
];
