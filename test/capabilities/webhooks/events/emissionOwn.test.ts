import { setTimeout as sleep } from "node:timers/promises";
import { ConfigurationError } from "restwright";
import { memoryStorage } from "restwright/memory";
import { type SqlExecutor, sqlStorage } from "restwright/sql";
import { describe, expect, onTestFinished, test } from "vitest";
import { postgresExecutor } from "../../../../adapters/stores/sql/engine/postgres/postgresExecutor.js";
import { sqliteExecutor } from "../../../../adapters/stores/sql/engine/sqlite/sqliteExecutor.js";
import { type Engine, needs } from "../../../tools/engines.js";
import { ownSchema } from "../../../tools/storage/postgresSchema.js";
import { heardBy, hookUrl, orders, Receiver, register, shortly, stageOn } from "../emissionStage.js";

describe("an event of the developer's own", () => {
  test.each(["order.shipped", "report", "", "report.ready "])("of a type that was not declared is a mistake: %j", async (type) => {
    const stage = stageOn(memoryStorage());
    const webhook = await register(stage);
    await expect(stage.service.emit({ type, data: {} })).rejects.toThrow(ConfigurationError);
    expect(await heardBy(stage.storage, webhook)).toEqual([]);
  });

  test("is answered with its id, which receivers see", async () => {
    const receiver = new Receiver();
    const storage = memoryStorage();
    const stage = stageOn(storage, { resources: [orders], webhooks: { transport: receiver, events: ["report.ready"] } });
    await register(stage);
    const id = await stage.service.emit({ type: "report.ready", data: { pages: 3 } });
    for (let tries = 0; receiver.received.length === 0 && tries < 6_000; tries++) await sleep(5);
    expect(receiver.received).toMatchObject([{ url: new URL(hookUrl), headers: { "webhook-id": id, "webhook-event": "report.ready" } }]);
    expect(JSON.parse(Buffer.from(receiver.received[0]?.body ?? []).toString())).toMatchObject({ id, data: { pages: 3 } });
    await stage.service.close();
  });
});

/** Databases of the developer, whose tables ours stand beside. */
const databases: readonly { readonly name: string; readonly engines: readonly Engine[]; readonly open: () => Promise<SqlExecutor> }[] = [
  { name: "SQLite", engines: [], open: async () => sqliteExecutor({ path: ":memory:" }) },
  {
    name: "PostgreSQL (set POSTGRES_URL to run)",
    engines: ["postgres"],
    open: async () => {
      const schema = ownSchema();
      const executor = postgresExecutor({ connectionString: await schema.create() });
      onTestFinished(() => schema.drop());
      return executor;
    },
  },
];

const sql = (text: string, writes: boolean) => ({ text, values: [], writes, returns: writes ? "none" : "many" }) as const;

describe.each(databases)("an event in a transaction of the developer's own on $name", ({ engines, open }) => {
  async function setUp() {
    const executor = await open();
    onTestFinished(async () => executor.close?.());
    const stage = stageOn(sqlStorage(executor));
    await stage.service.start();
    await executor.query(sql("create table shipments (name text)", true));
    const webhook = await register(stage);
    const shipments = async () => (await executor.query(sql("select name from shipments order by name", false))).rows.map((row) => row["name"]);
    const emit = async (tx: SqlExecutor, id: string) =>
      stage.service.emit({ type: "report.ready", data: { id } }, sqlStorage(tx, { inTransaction: true }));
    return { ...stage, executor, webhook, shipments, emit };
  }

  test("is told where that commits, and not where it is rolled back", needs(...engines), async () => {
    const { executor, storage, webhook, shipments, emit } = await setUp();
    await executor.transaction(async (tx) => {
      await tx.query(sql("insert into shipments values ('kept')", true));
      await emit(tx, "kept");
    });
    const failed = executor.transaction(async (tx) => {
      await tx.query(sql("insert into shipments values ('lost')", true));
      await emit(tx, "lost");
      throw new Error("The developer has changed his mind.");
    });
    await expect(failed).rejects.toThrow("changed his mind");
    expect(await shipments()).toEqual(["kept"]);
    expect(await shortly(storage, webhook)).toEqual(["report.ready kept"]);
  });

  test("goes with the savepoint that it stands in", needs(...engines), async () => {
    const { executor, storage, webhook, emit } = await setUp();
    await executor.transaction(async (tx) => {
      await emit(tx, "outer");
      const inner = tx.transaction(async (savepoint) => {
        await emit(savepoint, "inner");
        throw new Error("Only this.");
      });
      await expect(inner).rejects.toThrow("Only this.");
    });
    expect(await shortly(storage, webhook)).toEqual(["report.ready outer"]);
  });

  test("that is refused leaves the transaction as it was", needs(...engines), async () => {
    const { executor, storage, webhook, service, emit } = await setUp();
    await executor.transaction(async (tx) => {
      const within = sqlStorage(tx, { inTransaction: true });
      await expect(service.emit({ type: "order.shipped", data: {} }, within)).rejects.toThrow(ConfigurationError);
      const large = service.emit({ type: "report.ready", data: { text: "x".repeat(300_000) } }, within);
      await expect(large).rejects.toMatchObject({ code: "EVENT_TOO_LARGE" });
      await emit(tx, "after it");
    });
    expect(await shortly(storage, webhook)).toEqual(["report.ready after it"]);
  });
});
