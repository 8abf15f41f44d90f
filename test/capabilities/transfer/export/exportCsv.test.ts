import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { fullService } from "../../../tools/fullService.js";
import { describeStores } from "../../../tools/storage/batchStores.js";

const kinds = defineResource("kinds", {
  schema: z.object({
    id: z.int(),
    text: z.string().nullable().default(null),
    flag: z.boolean().nullable().default(null),
    amount: z.number().nullable().default(null),
    big: z.bigint().optional(),
    at: z.date().optional(),
    day: z.iso.date().optional(),
    tags: z.array(z.string()).optional(),
    address: z.object({ city: z.string(), open: z.boolean().nullable().optional() }).nullable().optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
  }),
  generated: { id: "increment" },
});

const cells: readonly [string, unknown, string][] = [
  ["text", "plain", "plain"],
  ["text", null, ""],
  ["text", "", '""'],
  ["text", "a,b", '"a,b"'],
  ["text", 'say "hi"', '"say ""hi"""'],
  ["text", "two\nlines", '"two\nlines"'],
  ["text", "two\r\nlines", '"two\r\nlines"'],
  ["text", " blanks ", " blanks "],
  ["text", "Łódź 😀 日本", "Łódź 😀 日本"],
  ["text", "007", "007"],
  ["text", "true", "true"],
  ["text", "=1+1", "'=1+1"],
  ["text", "@SUM(A1)", "'@SUM(A1)"],
  ["text", "-2+3", "'-2+3"],
  ["text", "-5", "-5"],
  ["text", "+44 20 7946 0958", "+44 20 7946 0958"],
  ["text", "'=1", "''=1"],
  ["text", "it's", "it's"],
  ["flag", true, "true"],
  ["flag", false, "false"],
  ["flag", null, ""],
  ["amount", 0, "0"],
  ["amount", -1.5, "-1.5"],
  ["amount", 1e21, "1e+21"],
  ["amount", null, ""],
  ["big", "-9223372036854775808", "-9223372036854775808"],
  ["at", "2026-01-31T10:00:00.5+01:00", "2026-01-31T09:00:00.500Z"],
  ["day", "2026-01-31", "2026-01-31"],
  ["tags", [], "[]"],
  ["tags", ["a", "=b", 'c"'], '"[""a"",""=b"",""c\\""""]"'],
  ["address.city", { city: "Paris, TX" }, '"Paris, TX"'],
  ["address.open", { city: "x", open: false }, "false"],
  ["address.open", { city: "x", open: null }, ""],
  ["address.city", null, ""],
  ["extra", {}, "{}"],
  ["extra", { a: 1, b: [null] }, '"{""a"":1,""b"":[null]}"'],
];

describeStores("a cell of CSV", ({ open }) => {
  test("is what its value says, by its kind", async () => {
    const { storage, end } = await open();
    const service = fullService({ resources: [kinds], storage });
    const send = clientOf(service);
    for (const [path, value, cell] of cells) {
      const name = path.split(".")[0] ?? "";
      const { status, json } = await send({ method: "POST", target: "/kinds", body: { [name]: value } });
      expect(status).toBe(201);
      const { text } = await send({ target: `/kinds/export?fields=id,${path}&id=${json.id}` });
      expect(text, JSON.stringify(value)).toBe(`id,${path}\r\n${json.id},${cell}\r\n`);
    }
    await service.close();
    await end();
  });
});

describe("a CSV file", () => {
  async function setUp() {
    const send = clientOf(fullService({ resources: [kinds], storage: memoryStorage() }));
    await send({ method: "POST", target: "/kinds", body: { text: "=1;2", flag: false } });
    return send;
  }

  test.each([
    ["delimiter=;", 'text;flag\r\n"\'=1;2";false\r\n'],
    ["delimiter=tab", "text\tflag\r\n'=1;2\tfalse\r\n"],
    ["delimiter=%7C", "text|flag\r\n'=1;2|false\r\n"],
    ["formulas=literal", "text,flag\r\n=1;2,false\r\n"],
    ["bom=true", "\uFEFFtext,flag\r\n'=1;2,false\r\n"],
  ])("is written as %s says", async (query, expected) => {
    const send = await setUp();
    expect((await send({ target: `/kinds/export?fields=text,flag&${query}` })).text).toBe(expected);
  });

  test("has the columns of the schema in its order, or those that were chosen in theirs", async () => {
    const send = await setUp();
    const header = async (query: string) => (await send({ target: `/kinds/export?${query}` })).text.split("\r\n")[0];
    expect(await header("")).toBe("id,text,flag,amount,big,at,day,tags,address.city,address.open,extra");
    expect(await header("fields=extra,address,id")).toBe("extra,address.city,address.open,id");
    expect(await header("fields=address{open,city},flag")).toBe("address.open,address.city,flag");
  });
});
