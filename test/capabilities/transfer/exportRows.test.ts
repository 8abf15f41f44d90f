// @slow

import { describe, expect, test } from "vitest";
import { exportRows } from "../../../src/capabilities/transfer/export/exportRows.js";
import type { RowEncoder } from "../../../src/language/csv/rowEncoder.js";

type Row = { readonly text: string };

/** Writes a row as its text and a line end. */
const lines: RowEncoder = {
  contentType: "text/plain",
  extension: "txt",
  begin: () => "begin\n",
  encode: (rows) => rows.map(({ text }) => `${String(text)}\n`).join(""),
  end: () => "end\n",
};

/** Batches of rows, which know what has been taken of them and whether they were released. */
function batches(count: number, rowsEach: number, length: number) {
  const state = { taken: 0, released: false };
  async function* rows(): AsyncGenerator<readonly Row[], void, void> {
    try {
      for (let index = 0; index < count; index++) {
        state.taken += 1;
        yield Array.from({ length: rowsEach }, (_, row) => ({ text: `${index}.${row}`.padEnd(length, ".") }));
      }
    } finally {
      state.released = true;
    }
  }
  return { rows: rows(), state };
}

async function pieces(source: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const piece of source) all.push(piece);
  return all;
}

describe("exportRows", () => {
  test("is the beginning, all rows and the end, whatever the batches are", async () => {
    const { rows } = batches(3, 700, 10);
    const text = (await pieces(exportRows({ rows, encoder: lines }))).join("");
    const expected = Array.from({ length: 3 }, (_, index) =>
      Array.from({ length: 700 }, (_, row) => `${`${index}.${row}`.padEnd(10, ".")}\n`).join(""),
    );
    expect(text).toBe(`begin\n${expected.join("")}end\n`);
  });

  test("of no rows is the beginning and the end", async () => {
    expect(await pieces(exportRows({ rows: batches(0, 0, 0).rows, encoder: lines }))).toEqual(["begin\nend\n"]);
    expect((await pieces(exportRows({ rows: batches(2, 0, 0).rows, encoder: lines }))).join("")).toBe("begin\nend\n");
  });

  test.each([
    { what: "short rows", rowsEach: 5_000, length: 3, most: 1_000 },
    { what: "long rows", rowsEach: 1_000, length: 10_000, most: 6 },
    { what: "rows of half a piece", rowsEach: 200, length: 40_000, most: 1 },
  ])("cuts $what into pieces of at most about 64 KiB and 1,000 rows", async ({ rowsEach, length, most }) => {
    const { rows } = batches(2, rowsEach, length);
    const [, ...rest] = await pieces(exportRows({ rows, encoder: lines }));
    const sizes = rest.map((piece) => piece.split("\n").length - 1);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(Math.max(most, 2));
    expect(Math.max(...rest.map((piece) => piece.length))).toBeLessThan(70_000);
  });

  test("reads no further than its reader, and releases the rows where that has enough", async () => {
    const { rows, state } = batches(100, 1_000, 100);
    const text = exportRows({ rows, encoder: lines });
    await text.next();
    expect(state).toEqual({ taken: 1, released: false });
    await text.return();
    expect(state).toEqual({ taken: 1, released: true });
  });

  test("lets others have their turn between two pieces", async () => {
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 0);
    // Some hundred milliseconds of work, of which ten are a turn.
    const { rows } = batches(400, 1_000, 100);
    const { length } = await pieces(exportRows({ rows, encoder: lines }));
    clearInterval(ticking);
    expect(length).toBeGreaterThan(400);
    expect(turns).toBeGreaterThan(5);
  });

  test("throws what the rows throw, after what came before", async () => {
    async function* failing(): AsyncGenerator<readonly Row[], void, void> {
      yield [{ text: "1" }];
      throw new Error("the store went away");
    }
    const text = exportRows({ rows: failing(), encoder: lines });
    expect((await text.next()).value).toBe("begin\n1\n");
    await expect(text.next()).rejects.toThrow("the store went away");
  });
});
