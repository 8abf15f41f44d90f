import fc from "fast-check";
import { SaxesParser } from "saxes";
import { expect, test } from "vitest";
import { z } from "zod";
import { parseXml } from "../../../src/capabilities/formats/xml/parseXml.js";
import { documentOf, writeMembers } from "../../../src/capabilities/formats/xml/writeXml.js";
import { xmlValue } from "../../../src/capabilities/formats/xml/xmlValue.js";
import { introspectObject } from "../../../src/language/schema/introspect.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

const fields = introspectObject(
  z.object({
    text: z.string(),
    count: z.int(),
    ratio: z.number(),
    flag: z.boolean(),
    when: z.iso.datetime(),
    mixed: z.union([z.literal(1), z.literal("1"), z.literal(true)]),
    either: z.union([z.number(), z.string(), z.array(z.unknown()), z.record(z.string(), z.unknown()), z.null()]),
    tags: z.array(z.string()),
    grid: z.array(z.array(z.number().nullable())),
    address: z.object({ city: z.string(), geo: z.object({ lat: z.number() }).optional() }).nullable(),
    lines: z.array(z.object({ sku: z.string(), note: z.string().nullable() })),
    scores: z.record(z.string(), z.number()),
    loose: z.looseObject({ known: z.string() }),
    any: z.unknown(),
  }),
);
const rows = { name: "users", fields };

/** Texts with what XML cannot hold, or would change: controls, halves of surrogate pairs, line ends, markup, entities. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      "<",
      ">",
      "&",
      "]]>",
      "\r",
      "\n",
      "\t",
      " ",
      "\0",
      "\u0001",
      "\u007f",
      "\u0085",
      "\u2028",
      "\ufffe",
      "\uffff",
      "\ud800",
      "\\",
      '"',
      "'",
      "&amp;",
      "é",
      "😀",
      "a",
    ),
  }),
);
const name = fc
  .oneof(
    text,
    fc.constantFrom(
      "item",
      "member",
      "name",
      "type",
      "xml",
      "xsi:nil",
      "1a",
      "a b",
      "a:b",
      "",
      "#text",
      "#cdata",
      ":@",
      "hasOwnProperty",
      "toString",
      "größe",
    ),
  )
  // JSON bodies refuse these too.
  .filter((each) => each !== "__proto__");
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => (each === 0 ? 0 : each));
const any = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    number,
    text,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const record = fc.record(
  {
    text,
    count: fc.maxSafeInteger(),
    ratio: number,
    flag: fc.boolean(),
    when: fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
    mixed: fc.constantFrom(1, "1", true),
    either: any,
    tags: fc.array(text, { maxLength: 4 }),
    grid: fc.array(fc.array(fc.option(number), { maxLength: 3 }), { maxLength: 3 }),
    address: fc.option(fc.record({ city: text, geo: fc.record({ lat: number }) }, { requiredKeys: ["city"] })),
    lines: fc.array(fc.record({ sku: text, note: fc.option(text) }), { maxLength: 3 }),
    scores: fc.dictionary(name, number, { maxKeys: 3 }),
    loose: fc
      .dictionary(
        name.filter((each) => each !== "known"),
        any,
        { maxKeys: 2 },
      )
      .map((others) => ({ known: "k", ...others })),
    any,
  },
  { requiredKeys: [] },
);

/** A second opinion of what a document is. */
function requireWellFormed(document: string): void {
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(document).close();
}

test("every JSON value of a schema is a document of XML, and is read back as it was", async () => {
  await fc.assert(
    fc.asyncProperty(record, async (value) => {
      const json: unknown = JSON.parse(JSON.stringify(value));
      const document = documentOf(
        "user",
        writeMembers(json as Record<string, unknown>, (each) => fields.get(each)),
      );
      requireWellFormed(document);
      expect(xmlValue(await parseXml(document, { maxElements: 5_000, maxDepth: 64 }), rows)).toEqual(json);
    }),
    { numRuns: propertyRuns(1_000) },
  );
});

test("a document that saxes refuses is refused", async () => {
  const piece = fc.constantFrom(
    "<user>",
    "</user>",
    "<a>",
    "</a>",
    "<a/>",
    "<",
    ">",
    "&",
    "&lt;",
    "&#65;",
    "&#0;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?xml version='1.0'?>",
    "x",
    " ",
    '<a type="number">',
    "<a type='",
    "'",
    "\u0001",
    "</a >",
    "< a>",
  );
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.boolean(), async (pieces, isWrapped) => {
      const document = isWrapped ? `<user>${pieces.join("")}</user>` : pieces.join("");
      let isRead = true;
      try {
        await parseXml(document, { maxElements: 5_000, maxDepth: 64 });
      } catch (error) {
        expect(error).toMatchObject({ status: expect.toSatisfy((status: number) => status === 400 || status === 415) });
        isRead = false;
      }
      if (!isRead) return;
      accepted += 1;
      requireWellFormed(document);
    }),
    { numRuns: propertyRuns(3_000) },
  );
  expect(accepted).toBeGreaterThan(10);
});
