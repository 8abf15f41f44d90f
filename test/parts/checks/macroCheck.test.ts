// @slow

import fc from "fast-check";
import { detectType, macroCheck } from "restwright/checks";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { biff, compoundFile, slideRecord, wordStream, workbookStream } from "./samples/compoundFile.js";
import { fileOf, judge, verdictOn } from "./samples/fileOf.js";
import { contentTypes, docx, odt, pptx, relationship, relationships, xlsx } from "./samples/officeFiles.js";
import { zipOf } from "./samples/zipFile.js";

const vba = compoundFile({ VBA: undefined, PROJECT: Buffer.from("ID") });
const ole = compoundFile({ "\x01Ole10Native": Buffer.from("payload") });
const rels = (...of: string[]) => ({ "word/_rels/document.xml.rels": relationships(...of) });
const slides = (...records: Buffer[]) =>
  compoundFile({ "PowerPoint Document": Buffer.concat([slideRecord(0x03e8, [slideRecord(0x03e9, Buffer.alloc(5_000)), ...records])]) });
const content = (inner: string) => ({ "content.xml": `<?xml version="1.0"?><office:document-content>${inner}</office:document-content>` });
const utf16 = (text: string, mark = "\uFEFF") => Buffer.from(mark + text, "utf16le");

const harmless: readonly (readonly [what: string, name: string, bytes: Uint8Array | string])[] = [
  ["a document", "a.docx", docx()],
  [
    "a document with pictures, links and printer settings",
    "a.docx",
    docx({ "word/media/a.png": "x", "word/printerSettings/p.bin": "y", ...rels(relationship("hyperlink", "https://x")) }),
  ],
  ["a workbook", "a.xlsx", xlsx()],
  ["a presentation with a chart, whose data is a workbook", "a.pptx", pptx({ "ppt/embeddings/Microsoft_Excel_Sheet1.xlsx": xlsx() })],
  ["an OpenDocument", "a.odt", odt()],
  ["an OpenDocument of much text", "a.odt", odt(content("<p>Some words. </p>".repeat(70_000).replaceAll("words", () => `${Math.random()}`)))],
  ["an old document", "a.doc", compoundFile({ WordDocument: wordStream(), "\x05SummaryInformation": Buffer.alloc(100), ObjectPool: undefined })],
  ["an old workbook", "a.xls", compoundFile({ Workbook: workbookStream([0, 0, 2]) })],
  ["an old presentation", "a.ppt", slides(slideRecord(0x0fa0, Buffer.from("text")))],
  ["rich text", "a.rtf", "{\\rtf1 An {\\b object} \\templated}"],
  [
    "an archive of documents",
    "a.zip",
    zipOf({ "a.docx": docx(), "b.doc": compoundFile({ WordDocument: wordStream() }), "src/vbaProject.bin.txt": "x" }),
  ],
  ["XML", "a.xml", `<?xml version="1.0"?><note>macros</note>`],
  ["what is no document", "a.txt", "vbaProject.bin"],
];

const dangerous: readonly (readonly [what: string, name: string, bytes: Uint8Array | string])[] = [
  ["a VBA project", "a.docx", docx({ "word/vbaProject.bin": vba })],
  ["a VBA project, whatever its letters", "a.docm", docx({ "WORD/VBAPROJECT.BIN": "x" })],
  ["a VBA project anywhere", "a.xlsm", xlsx({ "xl/theme/vbaProject.bin": vba })],
  ["a VBA project behind a backslash", "a.docx", docx({ "word\\vbaProject.bin": "x" })],
  ["a VBA project under another name, by what it is", "a.docx", docx({ "word/theme.dat": vba })],
  ["a VBA project under another name, by its relationship", "a.docx", docx({ "word/x": "", ...rels(relationship("vbaProject", "x")) })],
  ["a relationship in other letters", "a.docx", docx(rels(relationship("vba&#80;roject&#x0000020;")))],
  ["a relationship in UTF-16", "a.docx", docx({ "word/_rels/x.rels": utf16(relationships(relationship("vbaProject"))) })],
  ["the content type of macros", "a.docx", docx({ "[Content_Types].xml": contentTypes("application/vnd.ms-word.document.macroEnabled.main+xml") })],
  ["a macro sheet", "a.xlsx", xlsx({ "xl/macrosheets/sheet1.xml": "<x/>" })],
  ["a macro sheet, by its relationship", "a.xlsx", xlsx({ "xl/_rels/workbook.xml.rels": relationships(relationship("xlMacrosheet")) })],
  ["a control", "a.docx", docx({ "word/activeX/activeX1.xml": "<x/>" })],
  ["a control, by its relationship", "a.docx", docx(rels(relationship("control")))],
  ["an object", "a.docx", docx({ "word/embeddings/oleObject1.bin": ole })],
  ["an object that is called an image", "a.docx", docx({ "word/media/image.png": ole })],
  ["a linked object", "a.docx", docx(rels(relationship("oleObject", `http://x" TargetMode="External`)))],
  ["a template elsewhere", "a.docx", docx({ "word/_rels/settings.xml.rels": relationships(relationship("attachedTemplate", "http://x/t.dotm")) })],
  ["a workbook with macros in it", "a.pptx", pptx({ "ppt/embeddings/a.xlsx": xlsx({ "xl/vbaProject.bin": vba }) })],
  ["Basic", "a.odt", odt({ "Basic/Standard/Module1.xml": "<x/>" })],
  ["scripts", "a.odt", odt({ "Scripts/python/a.py": "x" })],
  ["a call of a macro", "a.odt", odt(content(`<script:event-listener xlink:href="vnd.sun.star.script:a.py$f"/>`))],
  ["a call of a macro in other letters", "a.odt", odt(content(`<a href="vnd&#46;sun.star.&#x000073;cript:x"/>`))],
  [
    "a call of a macro behind much text",
    "a.odt",
    odt(content(`${Array.from({ length: 90_000 }, () => Math.random()).join("")}<a b="vnd.sun.star.script:x"/>`)),
  ],
  ["an object of OpenDocument", "a.odt", odt({ "Object 1": ole })],
  ["VBA of old documents", "a.doc", compoundFile({ WordDocument: wordStream(), Macros: undefined, VBA: undefined })],
  ["VBA of old workbooks", "a.xls", compoundFile({ Workbook: workbookStream([0]), _VBA_PROJECT_CUR: undefined })],
  ["an object of old documents", "a.doc", compoundFile({ WordDocument: wordStream(), ObjectPool: undefined, _1234567890: undefined })],
  ["an object of old workbooks", "a.xls", compoundFile({ Workbook: workbookStream([0]), MBD0001F2A3: undefined })],
  ["a macro sheet of old workbooks", "a.xls", compoundFile({ Workbook: workbookStream([0, 1]) })],
  ["a macro sheet of older workbooks", "a.xls", compoundFile({ Book: Buffer.concat([workbookStream([1]), Buffer.alloc(5_000)]) })],
  ["macros of old presentations", "a.ppt", slides(slideRecord(0x03ff, [slideRecord(0x0400, Buffer.from([1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]))]))],
  ["an object of old presentations", "a.ppt", slides(slideRecord(0x1011, Buffer.alloc(20)))],
  ["an object of rich text", "a.rtf", "{\\rtf1 {\\object\\objemb{\\*\\objdata 01}}}"],
  ["a template of rich text", "a.rtf", "{\\rtf1 {\\*\\template http://x}}"],
  ["a document with macros in an archive", "a.zip", zipOf({ "b.zip": zipOf({ "c.docm": docx({ "word/vbaProject.bin": vba }) }) })],
  ["an old document with macros in an archive", "a.zip", zipOf({ "b.doc": vba })],
  ["a document as XML", "a.xml", `<?xml version="1.0"?><?mso-application progid="Word.Document"?><w/>`],
];

const opaque: readonly (readonly [what: string, name: string, bytes: Uint8Array | string])[] = [
  ["an encrypted document", "a.doc", compoundFile({ EncryptionInfo: Buffer.alloc(8), EncryptedPackage: Buffer.alloc(8) })],
  ["an encrypted old document", "a.doc", compoundFile({ WordDocument: wordStream({ flags: 0x0100 }) })],
  ["an encrypted old workbook", "a.xls", compoundFile({ Workbook: workbookStream([0], [biff(0x002f, Buffer.alloc(6))]) })],
  ["an encrypted old presentation", "a.ppt", slides(slideRecord(0x2f14, Buffer.alloc(8)))],
  [
    "an encrypted OpenDocument",
    "a.odt",
    odt({ "META-INF/manifest.xml": `<?xml version="1.0"?><manifest:manifest><manifest:encryption-data/></manifest:manifest>` }),
  ],
  ["a document of Word 6", "a.doc", compoundFile({ WordDocument: wordStream({ magic: 0xa5dc }) })],
  ["a damaged workbook", "a.xls", compoundFile({ Workbook: workbookStream([0]).subarray(0, -4) })],
  ["a damaged presentation", "a.ppt", compoundFile({ "PowerPoint Document": Buffer.alloc(5_000, 0xff) })],
  ["a compound file without a document", "a.doc", compoundFile({ Other: Buffer.alloc(8) })],
  ["relationships with a document type", "a.docx", docx({ "word/_rels/x.rels": `<!DOCTYPE x [<!ENTITY v "vbaProject">]><Relationships/>` })],
  ["relationships in a rare encoding", "a.docx", docx({ "word/_rels/x.rels": `<?xml version="1.0" encoding="utf-7"?><x/>` })],
  ["relationships in UTF-16 without a mark", "a.docx", docx({ "word/_rels/x.rels": utf16(relationships(), "") })],
  ["relationships that are no XML", "a.docx", docx({ "_rels/.rels": "vbaProject" })],
  ["archives in archives in archives in archives", "a.zip", zipOf({ a: zipOf({ b: zipOf({ c: zipOf({ d: "" }) }) }) })],
];

describe("A document", () => {
  test.each(harmless)("passes: %s", async (_what, name, bytes) => {
    expect(await judge(macroCheck(), name, bytes)).toEqual({ verdict: "pass" });
  });

  test.each(dangerous)("is refused for %s", async (_what, name, bytes) => {
    expect(await judge(macroCheck(), name, bytes)).toMatchObject({ status: 422, code: "MACRO_FOUND", extensions: { found: expect.any(String) } });
  });

  test.each(opaque)("cannot be looked into: %s", async (_what, name, bytes) => {
    expect(await judge(macroCheck(), name, bytes)).toMatchObject({ status: 422, code: "UNSCANNABLE" });
  });

  test("is refused for parts that expand without end", async () => {
    expect(await verdictOn(macroCheck(), "a.docx", docx({ "word/_rels/x.rels": Buffer.alloc(70_000_000, " ") }))).toBe("UNSCANNABLE");
    expect(await verdictOn(macroCheck({ maxEntries: 3 }), "a.docx", docx({ "word/styles.xml": "" }))).toBe("UNSCANNABLE");
    expect(await verdictOn(macroCheck({ maxBytes: 100 }), "a.docx", docx())).toBe("FILE_TOO_LARGE");
  });

  test("is never passed by mistake where it ends early", async () => {
    const samples = [
      ["a.docx", docx({ "word/vbaProject.bin": vba })],
      ["a.doc", vba],
    ] as const;
    for (const [name, bytes] of samples) {
      for (let end = 600; end < bytes.length; end += name === "a.doc" ? 13 : 1) {
        const verdict = await verdictOn(macroCheck(), name, bytes.subarray(0, end));
        expect(verdict).toMatch(/^(?:UNSCANNABLE|MACRO_FOUND)$/);
      }
    }
  });

  test("is judged without an error, whatever its bytes", async () => {
    const samples = [...harmless, ...dangerous]
      .map(([, name, bytes]) => [name, Buffer.from(bytes)] as const)
      .filter(([, bytes]) => bytes.length < 20_000);
    const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples), changes, async ([name, bytes], edits) => {
        const damaged = Buffer.from(bytes);
        for (const [at, byte] of edits) damaged[Math.floor(at * damaged.length)] = byte;
        expect(await verdictOn(macroCheck(), name, damaged)).toMatch(/^(?:pass|UNSCANNABLE|MACRO_FOUND)$/);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  test("with chains that go in a circle comes to an end", async () => {
    const bytes = compoundFile({ WordDocument: wordStream() });
    const table = bytes.length - 512;
    for (let sector = 0; sector < 12; sector++) bytes.writeUInt32LE(sector % 2 === 0 ? sector + 1 : sector - 1, table + 4 * sector);
    expect(await verdictOn(macroCheck(), "a.doc", bytes)).toBe("UNSCANNABLE");
    expect(detectType(bytes, { extension: "doc" })).toBe("application/msword");
  });

  test("of many megabytes does not stop others for long", async () => {
    const entries = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`word/media/${index}.xml`, `<x>${"y".repeat(3_000)}</x>`]));
    const input = await fileOf("a.docx", docx(entries));
    const running = macroCheck().run(input);
    let turns = 0;
    let isOver = false;
    void running.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    expect(await running).toEqual({ verdict: "pass" });
    // A turn is 10 ms of work, of which there are some hundred milliseconds.
    expect(turns).toBeGreaterThan(5);
  });
});
