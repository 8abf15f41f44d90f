import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeStores } from "../../../tools/storage/batchStores.js";
import { jobOf } from "../../batch/batchJobStage.js";
import { csv, type ImportSide, importService, importSide, json, ndjson, type SentFile, sharedImports } from "./importStage.js";

function open(): ImportSide {
  const storage = memoryStorage();
  const service = importService(storage);
  onTestFinished(() => service.close({ graceMs: 0 }));
  return importSide(service, storage);
}

/** Imports and reads the report of what failed. */
async function reportOf(side: ImportSide, query: string, file: SentFile): Promise<string> {
  const accepted = await side.submit(query, file);
  await side.ended(accepted);
  return (await side.send({ target: `${jobOf(accepted)}/errors` })).text;
}

describe("the report of failed rows", () => {
  test("has their cells as they came, what was wrong, and where", async () => {
    const side = open();
    const accepted = await side.submit(
      "",
      csv('email,Name,age\r\nada@x.test,Ada,1\r\n\r\n"x ""y""",,x\r\nbob@x.test,Bob\r\neve@x.test,Eve,1,2\r\nada@x.test,"A,da",""\r\n'),
    );
    await side.ended(accepted);
    const report = await side.send({ target: `${jobOf(accepted)}/errors` });
    expect([report.status, report.headers["content-type"], report.headers["x-content-type-options"], report.headers["content-disposition"]]).toEqual([
      200,
      "text/csv; charset=utf-8",
      "nosniff",
      `attachment; filename="import-${accepted.json.id}-errors.csv"`,
    ]);
    const [header, ...lines] = report.text.split("\r\n");
    expect(header).toBe("email,Name,age,_row,_line,_code,_field,_message");
    expect(lines).toEqual([
      expect.stringMatching(/^"x ""y""",,x,2,4,VALIDATION_FAILED,email \| name \| age,"Invalid email address \| .+ \| .+"$/),
      "bob@x.test,Bob,,3,5,ROW_WIDTH,,The row has 2 cells; the header has 3.",
      'eve@x.test,Eve,1,4,6,ROW_WIDTH,,"The row has 4 cells; the header has 3. | Without a column: [""2""]."',
      'ada@x.test,"A,da","",5,7,DUPLICATE_EMAIL,email,"The value of ""email"" is taken."',
      "",
    ]);
  });

  test("is JSON in pages of about a megabyte if the rows are long", async () => {
    const side = open();
    const long = "x".repeat(60_000);
    const accepted = await side.submit("", csv(`email,name\n${Array.from({ length: 45 }, (_, index) => `x${index},${long}`).join("\n")}`));
    await side.ended(accepted);
    const rows: number[] = [];
    let pages = 0;
    for (let target: string | undefined = `${jobOf(accepted)}/errors`; target !== undefined; pages++) {
      const { text, json } = await side.send({ target, headers: { accept: "application/json" } });
      expect(text.length).toBeLessThan(2_500_000);
      rows.push(...json.errors.map(({ row }: { row: number }) => row));
      target = json.links.next;
    }
    expect(pages).toBe(3);
    expect(rows).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
    const report = await side.send({ target: `${jobOf(accepted)}/errors` });
    expect(report.text.split("\r\n")).toHaveLength(47);
  });

  test("has no cells of a row with a hundred thousand empty ones", async () => {
    const side = open();
    const accepted = await side.submit("", csv(`email,name\n${",".repeat(100_000)}\n`));
    await side.ended(accepted);
    const { json } = await side.send({ target: `${jobOf(accepted)}/errors`, headers: { accept: "application/json" } });
    expect(json.errors).toEqual([{ row: 1, line: 2, code: "ROW_WIDTH", errors: [expect.objectContaining({ code: "ROW_WIDTH" })] }]);
  });

  test("is JSON in pages where that is liked better", async () => {
    const side = open();
    const accepted = await side.submit("", ndjson(...Array.from({ length: 2_050 }, (_, index) => ({ email: `x${index}`, name: "X" })), "nonsense"));
    await side.ended(accepted);
    const target = `${jobOf(accepted)}/errors`;
    const rows: number[] = [];
    const sizes: number[] = [];
    for (let next: string | undefined = target; next !== undefined; ) {
      const { json: page } = await side.send({ target: next, headers: { accept: "application/json" } });
      sizes.push(page.errors.length);
      rows.push(...page.errors.map(({ row }: { row: number }) => row));
      next = page.links.next;
    }
    expect([sizes, rows]).toEqual([[1_000, 1_000, 51], Array.from({ length: 2_051 }, (_, index) => index + 1)]);
    const last = await side.send({ target: `${target}?after=2049`, headers: { accept: "application/json" } });
    expect(last.json.errors).toEqual([
      {
        row: 2_050,
        line: 2_050,
        code: "VALIDATION_FAILED",
        errors: [{ code: "VALIDATION_FAILED", detail: "Invalid email address", field: "email" }],
        value: { email: "x2049", name: "X" },
      },
      { row: 2_051, line: 2_051, code: "MALFORMED_JSON", errors: [{ code: "MALFORMED_JSON", detail: expect.any(String) }], text: "nonsense" },
    ]);
    expect((await side.send({ target: `${target}?after=x`, headers: { accept: "application/json" } })).status).toBe(400);
    expect((await side.send({ target: `${target}?after=1` })).status).toBe(400);
    // As CSV it is one file, whatever its length.
    expect((await side.send({ target })).text.split("\r\n")).toHaveLength(2_053);
  });

  test("is empty where nothing failed, and not there where there is no such import", async () => {
    const side = open();
    expect(await reportOf(side, "", csv("email,name\nada@x.test,Ada"))).toBe("email,name,_row,_line,_code,_field,_message\r\n");
    expect((await side.send({ target: "/imports/none/errors" })).status).toBe(404);
  });

  test("leaves out what is too much to keep", async () => {
    const side = open();
    const report = await reportOf(side, "", csv(`email,name\nx,${"y".repeat(100_000)}\n`));
    expect(report.split("\r\n")[1]).toMatch(/^,,1,2,VALIDATION_FAILED,/);
    const lines = await reportOf(side, "", ndjson({ email: "x", name: "y".repeat(100_000) }));
    expect(lines.split("\r\n")[1]).toMatch(/^,.*,1,1,VALIDATION_FAILED,/);
  });
});

describeStores(
  "a report that is imported as it is",
  ({ open: openStore }) => {
    const side = sharedImports(openStore);

    test.each<[string, string, SentFile]>([
      ["with formulas, apostrophes and quotes", "", csv('email,name,badge\nx,=1+1,"\'=2,""3"""\nx,+49 30 123,\'\nx,"@a\nb",\'\'-x\n')],
      ["with what was escaped already", "formulas=escaped", csv("email,name,badge\nx,'=1+1,''=2\nx,'+x,\n")],
      ["with a protected header", "formulas=escaped&map[%3Dmail]=email", csv("'=mail,name\nx,'=1\n")],
      ["with NUL", "", csv("email,name,badge\nx,A\0da,\0\n")],
      ["with another delimiter", "delimiter=;", csv('email;name;badge\nx;"A;B";a,b\n')],
      ["with nothing, null and the empty text", "", csv('email,name,badge,address.zip,address.city\nx,X,,,\nx,X,"","",B\n')],
      ["with columns that mean nothing", "unknownColumns=ignore", csv("email,name,,shoe,shoe\nx,Ada,1,2,3\n")],
      ["of another report", "formulas=escaped", csv("email,name,_row,_line,_code,_field,_message\nx,Ada,7,8,X,y,'=z\n")],
      ["of JSON", "", ndjson({ email: "x", name: "=1", age: null, tags: ["a", "b|c"], address: { city: "B", zip: null }, vip: true })],
      [
        "of JSON with other names",
        "map[Mail]=email&map[%3Dn]=name",
        json([
          { Mail: "x", "=n": "Ada" },
          { Mail: "y", name: "Bob" },
        ]),
      ],
      ["of JSON with lone surrogates", "", json('[{"email":"x","name":"\\ud800"},{"email":"x","name":"\\u0000"}]')],
    ])("%s, gives the same rows, and the same report", async (_, query, file) => {
      const again = query.includes("formulas") ? query : `${query}&formulas=escaped`;
      const first = await reportOf(side(), query, file);
      const second = await reportOf(side(), again, csv(first));
      const third = await reportOf(side(), again, csv(second));
      const withoutPlaces = (report: string) => report.replace(/,\d+,\d+,(?=[A-Z])/g, ",");
      if (!String(file.body).includes("\\u")) expect(withoutPlaces(second)).toBe(withoutPlaces(first));
      expect(third).toBe(second);
    });

    test("and mended, imports what had failed", async () => {
      const one = side();
      const rows = 'email,name,badge,tags,address\nx,=1+1,\'=2,"[""a|b""]","{""city"":""B""}"\ny,-5,"",c|d,\nok@x.test,Ok,,,\n';
      const report = await reportOf(one, "", csv(rows));
      expect((await one.outcomeNow("formulas=escaped", csv(report.replace(/^x,/m, "ada@x.test,").replace(/^y,/m, "bob@x.test,")))).counts).toEqual([
        2, 0, 0, 0,
      ]);
      expect(await one.rows()).toMatchObject([
        { name: "Ok" },
        { email: "ada@x.test", name: "=1+1", badge: "'=2", tags: ["a|b"], address: { city: "B" } },
        { email: "bob@x.test", name: "-5", badge: "", tags: ["c", "d"] },
      ]);
    });
  },
  ({ name }) => !name.startsWith("a store"),
);
