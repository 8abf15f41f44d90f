import { describe, expect, test, vi } from "vitest";
import type { SqlExecutor, SqlResult, SqlRow, SqlStatement } from "../../../../../adapters/stores/sql/engine/executor.js";
import { sqlStorage } from "../../../../../adapters/stores/sql/storage.js";
import { SetAside } from "../../../../../adapters/stores/sql/write/gathered/setAside.js";
import type { NewRow } from "../../../../../src/ground/storage/collection.js";
import { Unavailable } from "../../../../../src/ground/storage/errors.js";
import type { CollectionModel } from "../../../../../src/ground/storage/model.js";
import { eventually } from "../../../../tools/eventually.js";
import { frozenTime } from "../../../../tools/frozenTime.js";

const notes: CollectionModel = {
  name: "notes",
  id: "id",
  idFrom: "caller",
  columns: [
    { name: "id", kind: "text" },
    { name: "text", kind: "text" },
    { name: "more", kind: "text" },
  ],
  unique: [],
  indexes: [],
  searchable: [],
};
const counted: CollectionModel = { ...notes, name: "counted", idFrom: "store", columns: [{ name: "id", kind: "int" }, ...notes.columns.slice(1)] };

const newNote = (id: string, text = "a"): NewRow => ({ id, text, more: null, _version: `version of ${id}`, _updatedAt: new Date(0) });
const some = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What a statement of several inserts or updates sends of each row. */
interface Record {
  readonly id: string;
  readonly version: string;
}

/** Of a statement for several writes; `undefined` of any other. Which member has which column follows from the order of the columns. */
function recordsOf({ text, values }: SqlStatement): Record[] | undefined {
  if (!text.includes("_to_recordset")) return undefined;
  const records = JSON.parse(String(values[0])) as { [column: string]: string }[];
  const [id, version] = text.startsWith("insert") ? ["c4", "c2"] : ["c0", "c2"];
  return records.map((record) => ({ id: String(record[id]), version: String(record[version]) }));
}

const stored = ({ id, version }: Record): SqlRow => ({ id, _version: version, text: "a", more: null, _updatedAt: new Date(0) });

/** A database that writes all that it is sent. */
function written(statement: SqlStatement): SqlResult {
  const records = recordsOf(statement);
  if (records !== undefined) return { rows: records.map(stored), affected: records.length };
  const id = statement.text.startsWith("insert") ? statement.values[4] : statement.values.at(-3);
  return { rows: [stored({ id: String(id), version: String(statement.values[0]) })], affected: 1 };
}

function open(answer: (statement: SqlStatement) => SqlResult | Promise<SqlResult>, model = notes) {
  const sent: SqlStatement[] = [];
  const executor: SqlExecutor = {
    dialect: "postgres",
    gathers: true,
    async query(statement) {
      sent.push(statement);
      // By turns of the event loop, not by time: what waits meanwhile is the same however busy the machine is.
      for (let count = 0; count < 5; count++) await turn();
      return answer(statement);
    },
    transaction: () => Promise.reject(new Error("There is none.")),
  };
  const sizes = () => sent.map((statement) => recordsOf(statement)?.length ?? 1);
  return { sent, sizes, rows: sqlStorage(executor).collection(model) };
}

type Rows = ReturnType<typeof open>["rows"];

/** One write of a row with this id. */
const ways: readonly (readonly [string, (rows: Rows, id: string, tenant?: string) => ReturnType<Rows["insert"]>])[] = [
  ["inserts", (rows, id, tenant) => rows.insert(newNote(id), { tenant })],
  [
    "updates",
    (rows, id, tenant) => rows.update(id, { text: "b", _version: `after ${id}`, _updatedAt: new Date(0) }, { ifVersion: `version of ${id}`, tenant }),
  ],
];

describe.each(ways)("%s that wait at the same time, by what they send", (kind, write) => {
  frozenTime();

  test("the first goes alone and at once, the others in one statement, two under way", async () => {
    const { sent, sizes, rows } = open(written);
    const outcomes = await Promise.all(some(200).map((id) => write(rows, id)));
    expect(outcomes.map((outcome) => outcome.ok && outcome.row["id"])).toEqual(some(200));
    expect(sizes()).toEqual([1, 64, 64, 64, 7]);
    expect(sent[0]?.text).not.toContain("_to_recordset");
  });

  test("one after the other each goes alone", async () => {
    const { sent, rows } = open(written);
    for (const id of some(3)) await write(rows, id);
    expect(sent.filter(({ text }) => text.includes("_to_recordset"))).toEqual([]);
  });

  test("those of two tenants never share a statement", async () => {
    const { sent, rows } = open(written);
    await Promise.all(["a", "b"].flatMap((tenant) => some(20).map((id) => write(rows, `${id} of ${tenant}`, tenant))));
    expect(sent.length).toBeLessThan(10);
    for (const statement of sent) expect(new Set(recordsOf(statement)?.map(({ id }) => id.at(-1))).size).toBeLessThan(2);
  });

  test("two of one row never share a statement: one that finds another waiting goes at once", async () => {
    const { sent, sizes, rows } = open(written);
    await Promise.all(["first", ...some(5), ...some(5), "n1"].map((id) => write(rows, id)));
    for (const statement of sent) {
      const ids = recordsOf(statement)?.map(({ id }) => id) ?? [];
      expect(new Set(ids).size).toBe(ids.length);
    }
    expect(sizes()).toEqual([1, 1, 1, 1, 1, 1, 1, 5]);
  });

  test("what the database does not write goes alone", async () => {
    const { sent, sizes, rows } = open((statement) => {
      const all = written(statement);
      return recordsOf(statement) === undefined ? all : { ...all, rows: all.rows.filter(({ id }) => id !== "n7") };
    });
    const outcomes = await Promise.all(some(20).map((id) => write(rows, id)));
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(sizes()).toEqual([1, 19, 1]);
    expect(sent[2]?.text).toBe(sent[0]?.text);
  });

  test("an error of one row is its own, and later writes of the tenant go alone for a while", async () => {
    const { sent, sizes, rows } = open((statement) => {
      const ids = recordsOf(statement)?.map(({ id }) => id) ?? statement.values;
      if (ids.includes("n7")) throw Object.assign(new Error("violates a check"), { code: "23514" });
      return written(statement);
    });
    const got = await Promise.allSettled(some(20).map((id) => write(rows, id)));
    expect(got.flatMap(({ status }, index) => (status === "rejected" ? [index] : []))).toEqual([7]);
    expect(sizes()).toEqual([1, 19, ...Array.from({ length: 19 }, () => 1)]);
    sent.length = 0;
    await Promise.all([
      ...Array.from({ length: 256 }, (_, index) => write(rows, `m${index}`)),
      ...some(5).map((id) => write(rows, `${id} of b`, "b")),
    ]);
    expect(sizes().filter((size) => size > 1)).toEqual([4]);
    sent.length = 0;
    await Promise.all(Array.from({ length: 20 }, (_, index) => write(rows, `m${index}`)));
    expect(sizes()).toEqual([1, 19]);
  });

  test("after a lost connection those that were written are found, and nothing is sent again", async () => {
    const { sent, rows } = open((statement) => {
      const records = recordsOf(statement);
      if (records !== undefined) throw new Error("Connection terminated unexpectedly");
      if (statement.writes) return written(statement);
      // n1 was written, n2 has been written by another one, n3 is not there.
      const found = [
        { id: "n1", version: kind === "inserts" ? "version of n1" : "after n1" },
        { id: "n2", version: "other" },
      ];
      return { rows: found.map(stored), affected: 0 };
    });
    const [first, second, ...others] = await Promise.allSettled(some(4).map((id) => write(rows, id)));
    expect(first).toMatchObject({ status: "fulfilled", value: { ok: true } });
    expect(second).toMatchObject({ status: "fulfilled", value: { ok: true, row: { id: "n1" } } });
    for (const other of others) expect(other).toMatchObject({ status: "rejected", reason: expect.any(Unavailable) as unknown });
    for (const other of others) expect(other).not.toMatchObject({ reason: { wroteNothing: true } });
    expect(sent.map(({ writes }) => writes)).toEqual([true, true, false]);
  });

  test("if it cannot be found out what was written, all have the error of the lost connection", async () => {
    const { sent, rows } = open((statement) => {
      if (recordsOf(statement) === undefined && statement.writes) return written(statement);
      throw new Error("Connection terminated unexpectedly");
    });
    const [, ...others] = await Promise.allSettled(some(4).map((id) => write(rows, id)));
    for (const other of others) expect(other).toMatchObject({ reason: expect.any(Unavailable) as unknown });
    expect(sent).toHaveLength(3);
  });

  test("without a connection nothing is looked for, and all have its error", async () => {
    const { sent, rows } = open((statement) => {
      if (recordsOf(statement) === undefined) return written(statement);
      throw new Unavailable("No connection was free in time.", { wroteNothing: true });
    });
    const [, ...others] = await Promise.allSettled(some(4).map((id) => write(rows, id)));
    for (const other of others) expect(other).toMatchObject({ reason: { wroteNothing: true } });
    expect(sent).toHaveLength(2);
  });

  test("rows that the statement returns and nobody has sent make no write go twice", async () => {
    const { sent, rows } = open((statement) => {
      const all = written(statement);
      return recordsOf(statement) === undefined
        ? all
        : { ...all, rows: all.rows.map((row) => (row["id"] === "n2" ? { ...row, id: "changed" } : row)) };
    });
    const [, second, third] = await Promise.allSettled(some(4).map((id) => write(rows, id)));
    expect(second).toMatchObject({ status: "fulfilled", value: { ok: true } });
    expect(third).toMatchObject({ status: "rejected", reason: expect.any(Unavailable) as unknown });
    expect(sent).toHaveLength(2);
  });

  test("two statements that are not answered keep no later write from its row", async () => {
    let asked = 0;
    const unanswered = new Promise<never>(() => {});
    const { rows } = open((statement) => {
      asked += 1;
      return asked <= 2 ? unanswered : written(statement);
    });
    void write(rows, "first");
    void write(rows, "second");
    await eventually(() => expect(asked).toBe(2));
    const all = Promise.all(some(5).map((id) => write(rows, id)));
    vi.advanceTimersByTime(100);
    const later = await all;
    expect(later.every(({ ok }) => ok)).toBe(true);
  });

  test("a signal that ends while a write waits for the others ends no write", async () => {
    const { sizes, rows } = open(written);
    const controller = new AbortController();
    const writes = some(5).map((id) => write(rows, id));
    controller.abort(new Error("The client is gone."));
    await expect(rows.insert(newNote("late"), { signal: controller.signal })).rejects.toThrow("The client is gone.");
    expect((await Promise.all(writes)).every(({ ok }) => ok)).toBe(true);
    expect(sizes()).toEqual([1, 4]);
  });
});

describe("writes that wait at the same time", () => {
  frozenTime();

  test("as many go together as have a megabyte, and a larger row goes alone", async () => {
    const { sizes, rows } = open(written);
    const texts = ["a", ...Array.from({ length: 20 }, () => "b".repeat(100_000)), "c".repeat(2_000_000)];
    await Promise.all(texts.map((text, index) => rows.insert(newNote(`n${index}`, text), {})));
    expect(sizes()).toEqual([1, 9, 9, 2, 1]);
  });

  test("updates share a statement only if they set the same columns", async () => {
    const { sent, sizes, rows } = open(written);
    const set = (id: string, patch: { readonly [name: string]: unknown }, replace?: boolean) =>
      rows.update(id, { ...patch, _version: `after ${id}`, _updatedAt: new Date(0) }, { ifVersion: "v", replace });
    await Promise.all([
      ...some(6).map((id) => set(id, { text: "b" })),
      ...some(6).map((id) => set(id, { more: "b" })),
      ...some(3).map((id) => set(`p${id}`, { text: "b" }, true)),
      ...some(3).map((id) => set(`q${id}`, { text: "b", more: null })),
    ]);
    expect(sizes()).toEqual([1, 1, 1, 5, 5, 5]);
    expect(sent.slice(3).map(({ text }) => [...text.matchAll(/"(text|more)" = given/g)].map(([, name]) => name))).toEqual([
      ["text"],
      ["more"],
      ["text", "more"],
    ]);
  });

  test("inserts under an operation id, updates without a version, and removals go alone", async () => {
    const { sizes, rows } = open(written);
    await Promise.all([
      ...some(4).map((id) => rows.insert(newNote(id), { operationId: `operation ${id}` })),
      ...some(4).map((id) => rows.update(id, { text: "b", _version: `after ${id}`, _updatedAt: new Date(0) }, {})),
      ...some(4).map((id) => rows.remove(id, { ifVersion: "v" })),
    ]);
    expect(sizes()).toEqual(Array.from({ length: 12 }, () => 1));
  });

  test("rows that the store numbers are told apart by their versions", async () => {
    let last = 0;
    const number = () => {
      last += 1;
      return last;
    };
    const { sent, sizes, rows } = open((statement) => {
      if (!statement.text.includes("_to_recordset")) return { rows: [{ id: number() }], affected: 1 };
      const records = JSON.parse(String(statement.values[0])) as { c2: string }[];
      // In any order.
      return { rows: records.map(({ c2 }) => ({ id: number(), _version: c2 })).reverse(), affected: records.length };
    }, counted);
    const insert = (version: string) => rows.insert({ text: version, more: null, _version: version, _updatedAt: new Date(0) }, {});
    const outcomes = await Promise.all(["a", "b", "c", "d", "c"].map(insert));
    expect(outcomes.map((outcome) => outcome.ok && [outcome.row["id"], outcome.row["text"]])).toEqual([
      [1, "a"],
      [3, "b"],
      [4, "c"],
      [5, "d"],
      [2, "c"],
    ]);
    expect(sizes()).toEqual([1, 1, 3]);
    expect(sent[2]?.text).toContain("nextval");
  });

  test("a row with an id of a caller goes alone where the store numbers rows, after the numbers were moved past it", async () => {
    const { sizes, rows } = open((statement) => ({ rows: [{ id: statement.values[4] ?? 1 }], affected: 1 }), counted);
    await Promise.all([7, 8, 9].map((id) => rows.insert({ ...newNote("x"), id, _version: `v${id}` }, {})));
    expect(sizes()).toEqual(Array.from({ length: 6 }, () => 1));
  });

  test("a row that cannot be sent is the error of its own insert", async () => {
    const { rows } = open(written, { ...notes, columns: [...notes.columns, { name: "data", kind: "json" }] });
    const got = await Promise.allSettled(some(5).map((id) => rows.insert({ ...newNote(id), data: id === "n3" ? { n: 1n } : {} }, {})));
    expect(got.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected", "fulfilled"]);
  });
});

describe("the kinds of writes that go alone for a while", () => {
  test("are forgotten after so many writes", () => {
    const aside = new SetAside();
    aside.add("insert");
    const taken = Array.from({ length: 300 }, () => aside.takes("insert"));
    expect(taken.lastIndexOf(true)).toBe(255);
    expect(taken.slice(0, 256)).not.toContain(false);
    expect(aside.takes("other")).toBe(false);
  });

  test("are a thousand at most: the oldest goes", () => {
    const aside = new SetAside();
    for (let kind = 0; kind <= 1_000; kind++) aside.add(`kind ${kind}`);
    expect(aside.takes("kind 0")).toBe(false);
    expect(aside.takes("kind 1")).toBe(true);
    expect(aside.takes("kind 1000")).toBe(true);
  });
});
