import { belongsTo, createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { memoryStorage } from "restwright/memory";
import { sqliteStorage } from "restwright/sqlite";
import { transfer } from "restwright/transfer";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { auditLog, audits } from "../../../examples/audit-log/auditLog.js";
import { clientOf } from "../../tools/client.js";

const notes = defineResource("notes", {
  schema: z.object({ id: z.int(), text: z.string(), code: z.string().optional(), parentId: z.int().nullable().default(null) }),
  generated: { id: "increment" },
  unique: ["code"],
  relations: { parent: belongsTo("notes", "parentId", { onDelete: "cascade" }) },
});

describe.each([
  ["memory", () => memoryStorage()],
  ["SQLite", () => sqliteStorage({ path: ":memory:" })],
])("the audit log of examples/audit-log, on %s", (_, open) => {
  function setUp() {
    const service = createService({ resources: [notes, audits], storage: open(), use: [batch(), transfer(), auditLog()] });
    onTestFinished(() => service.close());
    const send = clientOf(service);
    const log = async () => {
      const { json } = await send({ target: "/audits?sort=id&perPage=100" });
      return (json.data as { kind: string; rowId: string }[]).map(({ kind, rowId }) => `${kind} ${rowId}`);
    };
    return { send, log };
  }
  const add = (text: string, more: object = {}) => ({ method: "POST", target: "/notes", body: { text, ...more } });

  test("has an entry for a row that was created, changed or removed by itself", async () => {
    const { send, log } = setUp();
    await send(add("one"));
    await send({ method: "PATCH", target: "/notes/1", body: { text: "uno" } });
    await send({ method: "DELETE", target: "/notes/1" });
    expect(await log()).toEqual(["create 1", "update 1", "remove 1"]);
  });

  test("has an entry for each row of a batch, of an import and of a cascade", async () => {
    const { send, log } = setUp();
    await send({ method: "POST", target: "/notes/batch", body: { items: [{ text: "one" }, { text: "two" }] } });
    await send(add("three", { parentId: 1 }));
    const imported = await send({
      method: "POST",
      target: "/notes/import",
      headers: { "content-type": "text/csv" },
      body: Buffer.from("text\nfour\n"),
    });
    expect(imported.status).toBe(200);
    await send({ method: "DELETE", target: "/notes/1" });
    expect((await log()).toSorted()).toEqual(["create 1", "create 2", "create 3", "create 4", "remove 1", "remove 3"]);
  });

  test("has no entry for a write that was refused or rolled back", async () => {
    const { send, log } = setUp();
    await send(add("one", { code: "a" }));
    expect((await send(add("again", { code: "a" }))).json.code).toBe("DUPLICATE_CODE");
    const items = [{ text: "two" }, { text: "three", code: "a" }];
    const rolledBack = await send({ method: "POST", target: "/notes/batch", headers: { prefer: "handling=strict" }, body: { items } });
    expect(rolledBack.status).toBe(422);
    expect(await log()).toEqual(["create 1"]);
  });

  test("cannot be written by a client", async () => {
    const { send } = setUp();
    expect((await send({ method: "POST", target: "/audits", body: {} })).status).toBe(405);
  });
});

test("without its resource it is refused at start-up", () => {
  expect(() => createService({ resources: [notes], storage: memoryStorage(), use: [auditLog()] })).toThrow('auditLog() needs the resource "audits"');
});
