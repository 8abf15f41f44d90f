import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findUtf8Fault } from "../../../../src/capabilities/transfer/formats/utf8Decoder.js";
import { type TextCharset, utf8Text } from "../../../../src/capabilities/transfer/formats/utf8Text.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";
import { Endless, inParts, problemIn, repeat, textOf } from "./files.js";

const text = 'name,city\r\nÅsa,"Malmö"\n語,😀\0\r';
const bigEndian = (content: string) => Buffer.from(content, "utf16le").swap16();
const littleEndian = (content: string) => Buffer.from(content, "utf16le");
const marked = (mark: readonly number[], content: Uint8Array) => Buffer.concat([Buffer.from(mark), content]);
const utf8Mark = [0xef, 0xbb, 0xbf];
const littleMark = [0xff, 0xfe];
const bigMark = [0xfe, 0xff];

const sizes = [1, 2, 3, 5, 7, 65_536];

describe("a file of text", () => {
  test.each<[string, Uint8Array, TextCharset | undefined]>([
    ["UTF-8", Buffer.from(text), undefined],
    ["UTF-8 that says so", Buffer.from(text), "utf-8"],
    ["UTF-8 with a byte-order mark", marked(utf8Mark, Buffer.from(text)), undefined],
    ["UTF-16 with the mark of little endian", marked(littleMark, littleEndian(text)), undefined],
    ["UTF-16 with the mark of big endian", marked(bigMark, bigEndian(text)), undefined],
    ["utf-16 that leaves the order to its mark", marked(bigMark, bigEndian(text)), "utf-16"],
    ["utf-16le without a mark", littleEndian(text), "utf-16le"],
    ["utf-16le with a mark", marked(littleMark, littleEndian(text)), "utf-16le"],
    ["utf-16be without a mark", bigEndian(text), "utf-16be"],
  ])("in %s becomes UTF-8 without a mark, however it is cut", async (_name, file, charset) => {
    for (const size of sizes) expect(await textOf(utf8Text(inParts(file, size), { charset }))).toBe(text);
  });

  test.each([
    ["nothing", []],
    ["a mark of UTF-8", utf8Mark],
    ["a mark of UTF-16", bigMark],
  ])("may be no more than %s", async (_name, bytes) => {
    expect(await textOf(utf8Text(inParts(Buffer.from(bytes))))).toBe("");
  });

  test("loses only its first mark", async () => {
    expect(await textOf(utf8Text(inParts("\uFEFF\uFEFFa", 1)))).toBe("\uFEFFa");
  });

  test.each<[TextCharset, readonly number[]]>([
    ["utf-8", littleMark],
    ["utf-8", bigMark],
    ["utf-16", utf8Mark],
    ["utf-16le", bigMark],
    ["utf-16be", littleMark],
    ["utf-16be", utf8Mark],
  ])("that is sent as %s must not begin with the mark of another encoding", async (charset, mark) => {
    const problem = await problemIn(() => textOf(utf8Text(inParts(marked(mark, Buffer.from("ab"))), { charset })));
    expect(problem).toMatchObject({ code: "INVALID_ENCODING", status: 422, extensions: { line: 1, byte: 0 } });
    expect(problem?.message).toContain(charset);
  });

  test("in utf-16 without a mark has no byte order", async () => {
    expect(await problemIn(() => textOf(utf8Text(inParts(littleEndian("ab")), { charset: "utf-16" })))).toMatchObject({ code: "INVALID_ENCODING" });
  });
});

describe("what is no UTF-8", () => {
  const cases: readonly [string, readonly number[]][] = [
    ["a byte that begins nothing", [0xff]],
    ["a continuation without a beginning", [0x80]],
    ["a slash that is too long", [0xc0, 0xaf]],
    ["three bytes for two", [0xe0, 0x80, 0xaf]],
    ["four bytes for three", [0xf0, 0x80, 0x80, 0xaf]],
    ["half of a surrogate pair", [0xed, 0xa0, 0x80]],
    ["more than U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["two bytes of three", [0xe8, 0xaa]],
    ["three bytes of four", [0xf0, 0x9f, 0x98]],
    ["Latin-1", [0xe9]],
  ];

  test.each(cases)("%s, is found wherever it stands and however it is cut", async (_name, bytes) => {
    const before = 'a,b\r\n1,"é\n"\r語';
    for (const after of ["", "a", "😀 and more\n"]) {
      const file = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      for (const size of sizes) {
        const problem = await problemIn(() => textOf(utf8Text(inParts(file, size))));
        expect(problem).toMatchObject({ code: "INVALID_ENCODING", extensions: { line: 4, byte: Buffer.byteLength(before) } });
        expect(problem?.message).toBe(
          `Line 4, after 16 bytes: the byte 0x${bytes[0]?.toString(16)} is not UTF-8. Send UTF-8, or UTF-16 with a byte-order mark.`,
        );
      }
    }
  });

  test("counts the bytes of the mark, which are a part of the file", async () => {
    const file = marked(utf8Mark, Buffer.from([0x61, 0xff]));
    expect(await problemIn(() => textOf(utf8Text(inParts(file))))).toMatchObject({ extensions: { line: 1, byte: 4 } });
  });

  test("is what Node takes for none, and all before it is some", () => {
    const byte = fc.constantFrom(
      0x00,
      0x61,
      0x7f,
      0x80,
      0x8f,
      0x90,
      0x9f,
      0xa0,
      0xbf,
      0xc1,
      0xc2,
      0xdf,
      0xe0,
      0xe1,
      0xed,
      0xef,
      0xf0,
      0xf1,
      0xf4,
      0xf5,
      0xff,
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 8 }), (list) => {
        const bytes = Buffer.from(list);
        const fault = findUtf8Fault(bytes);
        expect(fault === bytes.length).toBe(isUtf8(bytes));
        expect(isUtf8(bytes.subarray(0, fault))).toBe(true);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });
});

describe("what is no UTF-16", () => {
  test.each([
    ["the second half of a pair alone", "a\n\uDE00b", 2, 4],
    ["the first half of a pair before something else", "a\r\n😀\uD83Db", 2, 10],
    ["the first half of a pair at the end", "a\n\n\uD83D", 3, 6],
  ])("%s, is found", async (_name, content, line, byte) => {
    for (const size of sizes) {
      for (const charset of ["utf-16le", "utf-16be"] as const) {
        const file = charset === "utf-16le" ? littleEndian(content) : bigEndian(content);
        const problem = await problemIn(() => textOf(utf8Text(inParts(file, size), { charset })));
        expect(problem).toMatchObject({ code: "INVALID_ENCODING", extensions: { line, byte } });
      }
    }
  });

  test("half a code unit at the end is found", async () => {
    const file = marked(littleMark, Buffer.from([0x61, 0x00, 0x62]));
    expect(await problemIn(() => textOf(utf8Text(inParts(file))))).toMatchObject({ code: "INVALID_ENCODING", extensions: { line: 1, byte: 4 } });
  });
});

describe("the text of a file", () => {
  test("is never cut in the middle of a character", async () => {
    const file = Buffer.from("😀語é".repeat(50));
    for (const size of sizes) for await (const part of utf8Text(inParts(file, size))) expect(isUtf8(part)).toBe(true);
  });

  test("is any text that was written, in any encoding, cut anywhere", async () => {
    const character = fc.oneof(fc.constantFrom(0x00, 0x0a, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfeff, 0xffff, 0x10000), fc.nat(0x10ffff));
    const content = fc.array(character, { maxLength: 12 }).map((characters) => String.fromCodePoint(...characters).toWellFormed());
    const encodings = [
      (written: string) => marked(utf8Mark, Buffer.from(written)),
      (written: string) => marked(littleMark, littleEndian(written)),
      (written: string) => marked(bigMark, bigEndian(written)),
    ];
    await fc.assert(
      fc.asyncProperty(content, fc.constantFrom(...encodings), fc.integer({ min: 1, max: 9 }), async (written, encode, size) => {
        expect(await textOf(utf8Text(inParts(encode(written), size)))).toBe(written);
      }),
    );
  });

  test("is read no further than somebody wants it, and its source is released", async () => {
    const source = new Endless(repeat("", "row\n".repeat(1_000)));
    for await (const part of utf8Text(source)) {
      expect(part.length).toBe(4_000);
      break;
    }
    expect(source).toMatchObject({ isClosed: true, bytes: 4_000 });
  });

  test("ends with what its source throws", async () => {
    const fault = new Error("The client is gone.");
    const source = new Endless(
      (function* () {
        yield Buffer.from("abc");
        throw fault;
      })(),
    );
    await expect(textOf(utf8Text(source))).rejects.toBe(fault);
  });
});
