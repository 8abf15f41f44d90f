// @slow

import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { SqlStatement } from "../../../../adapters/stores/sql/engine/executor.js";
import type { SqliteConnection } from "../../../../adapters/stores/sql/engine/sqlite/sqliteConnection.js";
import { loadSqliteDriver } from "../../../../adapters/stores/sql/engine/sqlite/sqliteDriver.js";
import { SqliteWriter } from "../../../../adapters/stores/sql/engine/sqlite/sqliteWriter.js";

let connection: SqliteConnection;
let writer: SqliteWriter;
let brackets: string[] = [];

beforeEach(() => {
  const opened = loadSqliteDriver().open(":memory:");
  opened.execute("create table notes (id integer primary key autoincrement, text text unique)");
  brackets = [];
  connection = {
    ...opened,
    execute(text) {
      brackets.push(text);
      opened.execute(text);
    },
  };
  writer = new SqliteWriter(connection, 100);
});

afterEach(async () => {
  await writer.idle();
  connection.close();
});

const insert = (text: string): SqlStatement => ({
  text: "insert into notes (text) values (?) returning id",
  values: [text],
  writes: true,
  returns: "one",
});
const broken: SqlStatement = { text: "insert into nowhere values (1)", values: [], writes: true, returns: "none" };
const texts = () => connection.all("select text from notes order by id", [], false).map((row) => row["text"]);

/** A group ends after some milliseconds, which a busy machine takes from any two lines. */
function stopClock(): void {
  const clock = vi.spyOn(performance, "now").mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
}

describe("group commit", () => {
  test("writes of one turn share a transaction and keep their order", async () => {
    stopClock();
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => writer.write(insert(`n${index}`))));
    expect(results.map(({ rows }) => rows[0]?.["id"])).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(brackets).toEqual(["begin immediate", "commit"]);
  });

  test("a write is acknowledged after the commit, not before", async () => {
    const acknowledged = writer.write(insert("a")).then(() => [...brackets]);
    expect(await acknowledged).toEqual(["begin immediate", "commit"]);
  });

  test("a write that breaks a key fails alone", async () => {
    stopClock();
    const outcomes = await Promise.allSettled(["a", "b", "a", "c"].map((text) => writer.write(insert(text))));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(texts()).toEqual(["a", "b", "c"]);
    expect(brackets).toEqual(["begin immediate", "commit"]);
  });

  test("a write that fails in any other way fails alone too: the others are done again", async () => {
    const outcomes = await Promise.allSettled([insert("a"), broken, insert("b"), broken, insert("c")].map((statement) => writer.write(statement)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"]);
    expect(texts()).toEqual(["a", "b", "c"]);
  });

  test("a commit that fails acknowledges none of its writes", async () => {
    const failing = new SqliteWriter(
      { ...connection, execute: (text) => (text === "commit" ? connection.execute("commit nonsense") : connection.execute(text)) },
      100,
    );
    const outcomes = await Promise.allSettled([failing.write(insert("a")), failing.write(insert("b"))]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(texts()).toEqual([]);
  });

  test("long work is cut into slices: timers and input get their turn", async () => {
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    const slow = "insert into notes (text) with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select ? || max(i) from n";
    await Promise.all(Array.from({ length: 40 }, (_, index) => writer.write({ text: slow, values: [`${index}:`], writes: true, returns: "none" })));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(1);
    expect(texts()).toHaveLength(40);
  });
});

describe("brief transactions", () => {
  beforeEach(stopClock);

  const add = (...texts: string[]) =>
    writer.transaction(async (tx) => {
      for (const text of texts) await tx.query(insert(text));
    }, true);

  test("share a commit with each other and with single writes, and are acknowledged after it", async () => {
    const acknowledged: (readonly string[])[] = [];
    const note = () => void acknowledged.push(brackets.filter((text) => text === "commit"));
    await Promise.all([add("a", "b").then(note), writer.write(insert("c")).then(note), add("d").then(note)]);
    expect(acknowledged).toEqual([["commit"], ["commit"], ["commit"]]);
    expect(texts()).toEqual(["a", "b", "c", "d"]);
  });

  test("have no savepoint where nothing else waits", async () => {
    await add("a", "b");
    expect(brackets).toEqual(["begin immediate", "commit"]);
  });

  test("that throw leave nothing of their own", async () => {
    const outcomes = await Promise.allSettled([add("a"), add("b", "a"), writer.write(insert("c")), add("d")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(texts()).toEqual(["a", "c", "d"]);
  });

  test("are run again where another one failed in a way that may have rolled back all of them", async () => {
    const runs: string[] = [];
    const breaking = () => writer.transaction(async (tx) => void (await tx.query(broken)), true);
    const counting = (text: string) =>
      writer.transaction(async (tx) => {
        runs.push(text);
        await tx.query(insert(text));
      }, true);
    const outcomes = await Promise.allSettled([counting("a"), writer.write(insert("b")), breaking(), counting("c")]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect([texts(), runs]).toEqual([
      ["a", "b", "c"],
      ["a", "a", "c"],
    ]);
  });

  test("are not acknowledged where the commit fails", async () => {
    const execute = (text: string) => connection.execute(text === "commit" ? "commit nonsense" : text);
    writer = new SqliteWriter({ ...connection, execute }, 100);
    const outcomes = await Promise.allSettled([add("a"), add("b"), writer.write(insert("c"))]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(texts()).toEqual([]);
  });

  test("are over before a transaction that is not brief begins, and count as open until their commit", async () => {
    const seen: (readonly unknown[])[] = [];
    const first = add("a", "b");
    const second = add("c").then(() => expect(writer.openTransaction).toBeDefined());
    await Promise.all([first, second, writer.transaction(async () => void seen.push(texts()))]);
    expect(seen).toEqual([["a", "b", "c"]]);
    await writer.idle();
    expect(writer.openTransaction).toBeUndefined();
  });
});

describe("transactions", () => {
  test("100 single writes wait for an open transaction and are all there afterwards", async () => {
    const order: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const transaction = writer.transaction(async (tx) => {
      await tx.query(insert("first of the transaction"));
      await held;
      await tx.query(insert("last of the transaction"));
    });
    const settled = transaction.then(() => order.push("transaction"));
    const writes = Array.from({ length: 100 }, (_, index) => writer.write(insert(`w${index}`)).then(() => order.push(`w${index}`)));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(order).toEqual([]);
    release();
    await Promise.all([settled, ...writes]);
    expect(order[0]).toBe("transaction");
    expect(texts()).toEqual(["first of the transaction", "last of the transaction", ...Array.from({ length: 100 }, (_, index) => `w${index}`)]);
  });

  test("writes and transactions take their turns in the order in which they came", async () => {
    const add = (text: string) => writer.transaction(async (tx) => tx.query(insert(text)));
    await Promise.all([
      writer.write(insert("1")),
      add("2"),
      writer.write(insert("3")),
      writer.write(insert("4")),
      add("5"),
      writer.write(insert("6")),
    ]);
    expect(texts()).toEqual(["1", "2", "3", "4", "5", "6"]);
  });

  test("a transaction that throws leaves nothing, and the queue goes on", async () => {
    const failing = writer.transaction(async (tx) => {
      await tx.query(insert("a"));
      throw new Error("No.");
    });
    const [failed, written] = await Promise.allSettled([failing, writer.write(insert("b"))]);
    expect([failed.status, written.status]).toEqual(["rejected", "fulfilled"]);
    expect(texts()).toEqual(["b"]);
  });

  test("after an error that may have rolled back, a transaction runs nothing more and does not commit", async () => {
    const swallowing = writer.transaction(async (tx) => {
      await tx.query(insert("a"));
      await tx.query(broken).catch(() => {});
      await tx.query(insert("b"));
    });
    await expect(swallowing).rejects.toThrow(/nowhere/);
    expect(texts()).toEqual([]);
  });

  test("what an ended transaction gave is refused", async () => {
    const tx = await writer.transaction(async (inner) => inner);
    await expect(tx.query(insert("a"))).rejects.toThrow("The transaction has ended");
    await expect(tx.transaction(async () => {})).rejects.toThrow("The transaction has ended");
  });

  test("savepoints that are begun at the same time do not mix", async () => {
    await writer.transaction(async (tx) => {
      const kept = tx.transaction(async (inner) => {
        await inner.query(insert("kept"));
        await new Promise((resolve) => setTimeout(resolve, 5));
      });
      const undone = tx.transaction(async (inner) => {
        await inner.query(insert("undone"));
        throw new Error("No.");
      });
      await Promise.allSettled([kept, undone]);
    });
    expect(texts()).toEqual(["kept"]);
  });
});

describe("the checkpoint of a large transaction", () => {
  const putOff = "pragma wal_autocheckpoint = 0";
  const restored = "pragma wal_autocheckpoint = 1000";
  /** Takes some 100 ms. */
  const slow: SqlStatement = {
    text: "with recursive number (n) as (select 1 union all select n + 1 from number where n < 1000000) insert into notes (text) select count(*) from number",
    values: [],
    writes: true,
    returns: "none",
  };

  test("comes after its commit, in a turn of its own", async () => {
    await writer.transaction(async (tx) => {
      await tx.query(slow);
    });
    expect(brackets).toEqual(["begin immediate", putOff, "commit"]);
    await writer.idle();
    expect(brackets).toEqual(["begin immediate", putOff, "commit", restored]);
  });

  test("comes after the commit that it shares with others, in a turn of its own", async () => {
    await Promise.all([writer.write(insert("a")), writer.transaction((tx) => tx.query(slow), true)]);
    expect(brackets.indexOf(putOff)).toBeGreaterThan(0);
    expect(brackets.slice(brackets.indexOf(putOff))).toEqual([putOff, "commit"]);
    await writer.idle();
    expect(brackets.at(-1)).toBe(restored);
  });

  test("is not put off where the transaction is rolled back", async () => {
    const failing = writer.transaction(async (tx) => {
      await tx.query(slow);
      throw new Error("No.");
    });
    await expect(failing).rejects.toThrow("No.");
    await writer.idle();
    expect(brackets).toEqual(["begin immediate", "rollback"]);
    expect(texts()).toEqual([]);
  });

  test("is left to the commit of a small one", async () => {
    await writer.transaction((tx) => tx.query(insert("a")));
    await writer.idle();
    expect(brackets).toEqual(["begin immediate", "commit"]);
  });
});
