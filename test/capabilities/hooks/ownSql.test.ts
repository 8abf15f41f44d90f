import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { TransactionCollections } from "../../../src/engine/calls/index.js";
import { describeStores } from "../../tools/storage/batchStores.js";
import { type HookStage, hookStage } from "./hookStage.js";

/** What would begin, end or change the transaction. */
const control: readonly string[] = [
  ...[
    "begin",
    "begin immediate",
    "BEGIN",
    "start transaction",
    "commit",
    "Commit;",
    "commit and chain",
    "end",
    "END transaction",
    "rollback",
    "abort",
  ],
  ...["rollback to nested_1", "savepoint a", "release a", "release savepoint a", "commit prepared 'a'", "prepare transaction 'a'"],
  ...["set transaction read only", "set local transaction read only", "set session characteristics as transaction read only"],
  ...["set transaction_isolation = 'serializable'", "set /* x */ local\ntransaction_read_only = on"],
  ...[
    " \n\tcommit",
    "-- a comment\ncommit",
    "/* a */ /* b */commit",
    ";;commit",
    "/**/commit/**/",
    "/* ; */ -- '\n ; commit -- x",
    "prepare\n-- x\ntransaction 'a'",
  ],
];

/** Several statements in one text; `insert` stands for one that is valid. */
const several = ["select 1; commit", "select 'a;b'; commit", "select 1 /* ; */ ; /* */ rollback", "insert; commit", "insert; insert"];

describeStores(
  "tx.sql",
  ({ open }) => {
    let stage: HookStage;
    beforeAll(async () => {
      stage = await hookStage(open);
    });
    beforeEach(() => stage.forget());
    afterAll(() => stage.close());

    const isSqlite = () => stage.storage.name === "sqlite";
    const insert = (text: string, id: number) =>
      `insert into "logs" ("_tenant", "id", "text", "_version", "_updatedAt") values ('', ${id}, '${text}', 'v${id}', ${isSqlite() ? "0" : "now()"})`;
    const texts = async (): Promise<string[]> => (await stage.send("GET", "/logs?perPage=100")).json.data.map(({ text }: { text: string }) => text);

    /** Runs statements in a hook whose write is refused at its end. @returns the errors of the statements */
    async function refused(statements: readonly string[], run = (tx: TransactionCollections, text: string) => tx.sql(text)): Promise<string[]> {
      const errors: string[] = [];
      stage.of.orders.afterWrite = async ({ tx }) => {
        await tx.of(stage.logs).create({ text: "must not stay" });
        for (const text of statements) {
          errors.push(
            await run(tx, text).then(
              () => `ran: ${text}`,
              (error: unknown) => String(error),
            ),
          );
        }
        throw new Error("The end.");
      };
      expect((await stage.send("POST", "/orders", { sku: "refused", pieces: 1 })).status).toBe(500);
      stage.forget();
      expect((await stage.send("GET", "/orders?sku=refused")).json.data).toEqual([]);
      expect(await texts()).not.toContain("must not stay");
      return errors;
    }

    test("what begins, ends or changes a transaction is refused before it reaches the connection", async () => {
      const nested = control.filter((text) => !/nested_1/.test(text));
      for (const text of await refused(control)) expect(text).toMatch(/^ConfigurationError: "tx\.sql" cannot run ".+": .*"tx\.transaction"\.$/);
      for (const text of await refused(nested, (tx, text) => tx.transaction((inner) => inner.sql(text)))) expect(text).toContain("cannot run");
    });

    test("comments end as they do for the engine", async () => {
      const [plain, nested] = ["/* /* */ commit", "/* /* */ */ commit"];
      const [first] = await refused([isSqlite() ? plain : nested]);
      expect(first).toContain("cannot run");
      const [other] = await refused([isSqlite() ? nested : plain]);
      expect(other).toMatch(/syntax error|unterminated/);
    });

    test("of several statements in one text none is run", async () => {
      const run = (tx: TransactionCollections, text: string) =>
        // In a savepoint of its own: PostgreSQL accepts no other statement after an error.
        tx.transaction((inner) => inner.sql(text.replace("insert", insert("of several", 901)).replace(/insert$/, insert("of several", 902))));
      for (const text of await refused(several, run)) expect(text).toMatch(/takes one statement|cannot insert multiple commands/);
      stage.of.orders.afterWrite = async ({ tx }) => {
        for (const text of several) await run(tx, text).catch(() => {});
      };
      await stage.order("several");
      expect(await texts()).not.toContain("of several");
    });

    test("statements with these words elsewhere run", async () => {
      stage.of.orders.afterWrite = async ({ tx }) => {
        await tx.sql(`create table "plans" ("end" text, "release" text)`);
        await tx.sql(`insert into "plans" ("end", "release") values ('commit', 'begin; rollback -- ''x'); -- commit`);
        await tx.sql(`update "plans" set "end" = 'savepoint' where "end" = 'commit' ;`);
        expect(await tx.sql(`/* first */ select "end", "release" from "plans" -- commit`)).toEqual([
          { end: "savepoint", release: "begin; rollback -- 'x" },
        ]);
        expect(await tx.sql(`-- a query\nwith "commit" as (select 1 as "end") select case when 1 = 1 then 'x' end as "abort" from "commit"`)).toEqual(
          [{ abort: "x" }],
        );
        const trigger = `create trigger "end_of_plans" after delete on "plans" begin delete from "plans"; select 1; end`;
        await tx.sql(isSqlite() ? trigger : "set constraints all deferred");
        await tx.sql(`drop table "plans"`);
      };
      await stage.order("words");
      expect(stage.faults).toEqual([]);
    });

    test("after a rollback by the database itself nothing more is written", async () => {
      if (!isSqlite()) return;
      stage.of.orders.afterWrite = async ({ tx, row }) => {
        await tx.sql(`insert or rollback into "orders" select * from "orders" where "id" = ${row.id}`).catch(() => {});
        await tx.of(stage.logs).create({ text: "after a rollback" });
      };
      expect((await stage.send("POST", "/orders", { sku: "lost", pieces: 1 })).status).toBe(500);
      stage.forget();
      expect(await texts()).not.toContain("after a rollback");
      expect((await stage.send("GET", "/orders?sku=lost")).json.data).toEqual([]);
    });
  },
  ({ name }) => /SQL/.test(name),
);
