import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { csvRows } from "../../../../src/capabilities/transfer/formats/csvRows.js";
import { utf8Text } from "../../../../src/capabilities/transfer/formats/utf8Text.js";
import { beginning } from "../../../../src/capabilities/transfer/rows.js";

/** The corpus of https://github.com/max-mapper/csv-spectrum: files that parsers get wrong, each with what it means. */
const folder = dirname(fileURLToPath(import.meta.resolve("csv-spectrum/package.json")));
const files = readdirSync(join(folder, "csvs")).map((file) => file.replace(/\.csv$/, ""));

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A quote in a cell without quotes, which RFC 4180 forbids: what follows it could be anything. */
const refused = "location_coordinates";

function read(bytes: Uint8Array) {
  return csvRows(utf8Text(inPieces(bytes, bytes.length)), { delimiter: ",", limits, from: beginning });
}

const limits = { rowBytes: 1_000_000, columns: 100 };

describe("csv-spectrum", () => {
  test(`${refused} is refused, and says where`, async () => {
    const rows = read(readFileSync(join(folder, "csvs", `${refused}.csv`)));
    const all = async () => {
      for await (const _chunk of rows);
    };
    await expect(all()).rejects.toMatchObject({ code: "BAD_QUOTE", message: expect.stringContaining("line 2: column 2") });
  });

  test.each(files.filter((name) => name !== refused))("%s", async (name) => {
    const bytes = readFileSync(join(folder, "csvs", `${name}.csv`));
    const expected = JSON.parse(readFileSync(join(folder, "json", `${name}.json`), "utf8")) as Record<string, string>[];
    for (const size of [1, 7, bytes.length]) {
      const cells: (readonly string[])[] = [];
      for await (const { rows } of csvRows(utf8Text(inPieces(bytes, size)), { delimiter: ",", limits, from: beginning })) {
        cells.push(...rows.map((row) => row.cells ?? []));
      }
      const [header = [], ...rows] = cells;
      expect(rows.map((row) => Object.fromEntries(header.map((column, index) => [column, row[index]])))).toEqual(expected);
    }
  });
});
