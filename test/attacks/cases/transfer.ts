import { type Attack, type Attacker, expectStatus } from "../attack.js";
import { makeUsers } from "./batches.js";
import { makeDocuments } from "./lists.js";

/** Just below the largest file that is imported at once. */
const bytes = 5_200_000;

const importing = (path: string, type: string, body: string, ...expected: readonly number[]) => ({
  run: async (attacker: Attacker) => expectStatus(await attacker.send("POST", path, { body, type }), ...expected),
});

const rows = Array.from({ length: 10_000 }, (_, index) => index);
/** Just below the largest row. */
const rowBytes = 999_000;
const numbers = (length: number) =>
  `[${Array(Math.floor(length / 2) - 8)
    .fill("1")
    .join(",")}]`;
/** As many values as a row may have. */
const texts = JSON.stringify(Array(19_990).fill("x".repeat(45)));
const emptyArrays = `[${Array(Math.floor(rowBytes / 3) - 8)
  .fill("[]")
  .join(",")}]`;
const documentOf = (data: string) => `{"data":${data}}`;
const wideNames = Array.from({ length: 900 }, (_, index) => `m${index}`);
const wideRow = Object.fromEntries(wideNames.map((name) => [name, "0123456789"]));
const wideCount = 250;

async function exportOf(attacker: Attacker, path: string): Promise<void> {
  expectStatus(await attacker.send("GET", path), 200);
}

async function makeWides(attacker: Attacker): Promise<void> {
  for (let made = 0; made < 4; made++) {
    expectStatus(
      await attacker.send("POST", "/wides/batch", {
        body: JSON.stringify({ items: Array(500).fill(wideRow) }),
        headers: { prefer: "return=minimal" },
      }),
      200,
    );
  }
}

async function untilEnded(attacker: Attacker, location: string): Promise<void> {
  for (;;) {
    const { status } = (await attacker.send("GET", location)).json() as { status: string };
    if (status === "completed") return;
    if (status === "failed" || status === "canceled") throw new Error(`The job is ${status}.`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Imports, exports and forms. */
export const transferAttacks: readonly Attack[] = [
  { name: "import: 5 MB of quotes in CSV", ...importing("/users/import", "text/csv", `name,bio\n${'"'.repeat(bytes)}`, 200, 413, 422) },
  {
    name: "import: 5 MB of doubled quotes in CSV",
    ...importing("/documents/import", "text/csv", `text\n${`"${'""'.repeat(2_000)}"\n`.repeat(1_290)}`, 200),
  },
  {
    name: "import: 5 MB of commas in CSV",
    ...importing("/users/import", "text/csv", `name,bio\n${",".repeat(bytes)}`, 200, 413, 422),
  },
  {
    name: "import: 5 MB of line ends in CSV",
    ...importing("/users/import", "text/csv", `name,bio\n${"\n".repeat(bytes)}`, 200, 413, 422),
  },
  { name: "import: 5 MB of one cell in CSV", ...importing("/users/import", "text/csv", `name,bio\nAda,${"x".repeat(bytes)}`, 200, 413, 422) },
  {
    name: "import: a header of 5 MB in CSV",
    ...importing("/users/import", "text/csv", `${"name,".repeat(bytes / 5)}\nAda`, 400, 413, 422),
  },
  {
    name: "import: a header of 1,000 columns that nobody knows in CSV",
    ...importing("/wides/import", "text/csv", `${Array.from({ length: 1_000 }, (_, index) => `n${index}`).join(",")}\n1`, 422),
  },
  {
    name: "import: rows of one byte in CSV",
    ...importing("/imports?collection=users", "text/csv", `name\n${"a\n".repeat(bytes / 2)}`, 202),
  },
  {
    name: "import: 10,000 rows of CSV",
    ...importing("/users/import", "text/csv", `name,bio,tags\n${rows.map((row) => `user ${row},${"b".repeat(450)},a|b|c`).join("\n")}`, 200),
  },
  {
    name: "import: 10,000 wrong rows of CSV",
    ...importing("/users/import", "text/csv", `name,email,age\n${rows.map((row) => `user ${row},no,x`).join("\n")}`, 200, 207, 422),
  },
  {
    name: "import: 250 rows of 900 columns of CSV",
    ...importing("/wides/import", "text/csv", `${wideNames.join(",")}\n${Array(wideCount).fill(Object.values(wideRow).join(",")).join("\n")}`, 200),
  },
  {
    name: "import: 10,000 rows of NDJSON",
    ...importing(
      "/users/import",
      "application/x-ndjson",
      rows.map((row) => JSON.stringify({ name: `user ${row}`, bio: "b".repeat(450) })).join("\n"),
      200,
    ),
  },
  {
    name: "import: 250 rows of 900 members of NDJSON",
    ...importing("/wides/import", "application/x-ndjson", Array(wideCount).fill(JSON.stringify(wideRow)).join("\n"), 200),
  },
  {
    name: "import: 500 rows of 1,000 members that nobody knows of NDJSON",
    ...importing(
      "/wides/import",
      "application/x-ndjson",
      Array(500)
        .fill(JSON.stringify(Object.fromEntries(Array.from({ length: 999 }, (_, index) => [`n${index}`, 1]))))
        .join("\n"),
      200,
    ),
  },
  { name: "import: 5 MB of brackets in NDJSON", ...importing("/users/import", "application/x-ndjson", "[".repeat(bytes), 200, 400, 413, 422) },
  {
    name: "import: 10,000 rows of a JSON array",
    ...importing("/users/import", "application/json", JSON.stringify(rows.map((row) => ({ name: `user ${row}`, bio: "b".repeat(450) }))), 200),
  },
  {
    name: "import: 5 MB of brackets in JSON",
    ...importing(
      "/users/import",
      "application/json",
      `[${Array(Math.floor(bytes / 3))
        .fill("[]")
        .join(",")}]`,
      200,
      400,
      413,
      422,
    ),
  },
  {
    name: "import: a JSON array of one item of 5 MB",
    ...importing("/documents/import", "application/json", `[${documentOf(numbers(bytes))}]`, 200),
  },
  {
    name: "import: a JSON array of 5 items of 1 MB of numbers",
    ...importing(
      "/documents/import",
      "application/json",
      `[${Array(5)
        .fill(documentOf(numbers(rowBytes)))
        .join(",")}]`,
      200,
    ),
  },
  {
    name: "import: a JSON array of 5 items of 1 MB and as many values as it takes",
    ...importing("/documents/import", "application/json", `[${Array(5).fill(documentOf(texts)).join(",")}]`, 200),
  },
  {
    name: "import: a JSON array of 5 items of 1 MB of empty arrays",
    ...importing("/documents/import", "application/json", `[${Array(5).fill(documentOf(emptyArrays)).join(",")}]`, 200),
  },
  {
    name: "import: 5 MB of JSON, nested",
    ...importing("/documents/import", "application/json", `[${"[".repeat(bytes / 2 - 8)}${"]".repeat(bytes / 2 - 8)}]`, 200),
  },
  { name: "import: 5 MB of openings in JSON", ...importing("/documents/import", "application/json", "[".repeat(bytes), 400) },
  {
    name: "import: 5 MB of JSON, broken at the end",
    ...importing("/users/import", "application/json", `[${'{"name":"Ada"},\n'.repeat(bytes / 16)}}`, 400),
  },
  {
    name: "import: 5 MB of JSON in one line, broken at the end",
    ...importing("/documents/import", "application/json", `[${documentOf(numbers(bytes))},]`, 400),
  },
  { name: "import: 5 MB of line ends in JSON", ...importing("/documents/import", "application/json", `[${"\n".repeat(bytes - 8)}`, 400) },
  { name: "import: 5 MB of escapes in JSON", ...importing("/documents/import", "application/json", `["${"\\n".repeat(bytes / 2 - 8)}"]`, 200) },
  { name: "import: one line of 5 MB in NDJSON", ...importing("/documents/import", "application/x-ndjson", documentOf(numbers(bytes)), 200) },
  {
    name: "import: 5 lines of 1 MB of numbers in NDJSON",
    ...importing(
      "/documents/import",
      "application/x-ndjson",
      Array(5)
        .fill(documentOf(numbers(rowBytes)))
        .join("\n"),
      200,
    ),
  },
  {
    name: "import: 5 lines of 1 MB and as many values as it takes in NDJSON",
    ...importing("/documents/import", "application/x-ndjson", Array(5).fill(documentOf(texts)).join("\n"), 200),
  },
  {
    name: "import: 5 lines of 1 MB of empty arrays in NDJSON",
    ...importing("/documents/import", "application/x-ndjson", Array(5).fill(documentOf(emptyArrays)).join("\n"), 200),
  },
  {
    name: "import: 5 lines of 1 MB of brackets in NDJSON",
    ...importing("/documents/import", "application/x-ndjson", Array(5).fill("[".repeat(rowBytes)).join("\n"), 200),
  },
  {
    name: "import: 5 lines of 1 MB, broken at the end, in NDJSON",
    ...importing(
      "/documents/import",
      "application/x-ndjson",
      Array(5)
        .fill(documentOf(numbers(rowBytes)).slice(0, -1))
        .join("\n"),
      200,
    ),
  },
  {
    name: "import: 10,000 broken lines of NDJSON",
    ...importing("/users/import", "application/x-ndjson", rows.map((row) => `{"name":"user ${row}","bio":"${"b".repeat(450)}"`).join("\n"), 200, 422),
  },
  {
    name: "import: 5 rows of a cell of 1 MB of CSV",
    ...importing("/documents/import", "text/csv", `text\n${`${"x".repeat(rowBytes - 8)}\n`.repeat(5)}`, 200),
  },
  {
    name: "import: 5 rows of a list of 1 MB of CSV",
    ...importing("/users/import", "text/csv", `name,tags\n${`Ada,${"a|".repeat(rowBytes / 2 - 8)}\n`.repeat(5)}`, 200),
  },
  {
    name: "import: 5 rows of JSON of 1 MB of CSV",
    ...importing("/documents/import", "text/csv", `data\n${`"${numbers(rowBytes)}"\n`.repeat(5)}`, 200),
  },
  {
    name: "import: 5 rows of JSON of 1 MB and as many values as it takes of CSV",
    ...importing("/documents/import", "text/csv", `data\n${`"${texts.replaceAll('"', '""')}"\n`.repeat(5)}`, 200),
  },
  {
    name: "import: 5 MB of UTF-16",
    ...importing("/users/import", "text/csv; charset=utf-16le", `name,bio\n${"a,b\n".repeat(bytes / 4)}`, 200, 413, 415, 422),
  },
  {
    name: "import: a job of 10 MB of a JSON array",
    run: async (attacker) => {
      const body = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => ({ name: `user ${index}`, bio: "b".repeat(450) })));
      const answer = await attacker.send("POST", "/imports?collection=users", { body });
      expectStatus(answer, 202);
      await untilEnded(attacker, answer.headers.get("location") ?? "");
    },
  },
  {
    name: "import: upsert of 10,000 rows of CSV",
    prepare: (attacker) => makeUsers(attacker, 10_000, ""),
    run: async (attacker, run) => {
      const body = `id,name,bio\n${rows.map((row) => `${row + 1},user ${row},b${run}`).join("\n")}`;
      expectStatus(await attacker.send("POST", "/users/import?mode=update&key=id", { body, type: "text/csv" }), 200);
    },
  },
  ...(["csv", "ndjson", "json"] as const).map(
    (format): Attack => ({
      name: `export: 2,000 rows of 900 columns as ${format}`,
      prepare: makeWides,
      run: (attacker) => exportOf(attacker, `/wides/export?format=${format}`),
    }),
  ),
  ...(["csv", "ndjson", "json"] as const).map(
    (format): Attack => ({
      name: `export: 100 rows of 1 MB behind 900 short ones as ${format}`,
      prepare: async (attacker) => {
        const items = Array(900).fill({ text: "short" });
        expectStatus(
          await attacker.send("POST", "/documents/batch", { body: JSON.stringify({ items }), headers: { prefer: "return=minimal" } }),
          200,
        );
        await makeDocuments(attacker, 100, { text: "x".repeat(1_000_000) });
      },
      run: (attacker) => exportOf(attacker, `/documents/export?format=${format}`),
    }),
  ),
  ...(["csv", "ndjson", "json"] as const).map(
    (format): Attack => ({
      name: `export: 20,000 rows as ${format}`,
      prepare: (attacker) => makeUsers(attacker, 20_000, "b".repeat(200)),
      run: (attacker) => exportOf(attacker, `/users/export?format=${format}`),
    }),
  ),
  {
    name: "form: as many fields as it takes",
    run: async (attacker) => {
      const field = (index: number) => `--b\r\ncontent-disposition: form-data; name="f${index}"\r\n\r\n${"x".repeat(1_000)}\r\n`;
      const file = '--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\nhello\r\n';
      const body = `${Array.from({ length: 95 }, (_, index) => field(index)).join("")}${file}--b--\r\n`;
      expectStatus(await attacker.send("POST", "/forms", { body, type: "multipart/form-data; boundary=b" }), 200, 201, 202);
    },
  },
  {
    name: "form: 10 MB of half boundaries",
    run: async (attacker) => {
      const file = `--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\ncontent-type: text/plain\r\n\r\n${"\r\n--".repeat(2_600_000)}\r\n`;
      expectStatus(await attacker.send("POST", "/forms", { body: `${file}--b--\r\n`, type: "multipart/form-data; boundary=b" }), 200, 201, 202);
    },
  },
];
