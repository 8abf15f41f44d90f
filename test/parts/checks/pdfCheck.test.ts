import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { pdfCheck } from "restwright/checks";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { judge, verdictOn } from "./samples/fileOf.js";
import { objectStream, pdf, pdfStream } from "./samples/pdf.js";

const hex = (plain: Buffer) => Buffer.from(`${plain.toString("hex")}>`);
const ascii85 = (plain: Buffer) => {
  let text = "";
  for (let at = 0; at < plain.length; at += 4) {
    const group = Buffer.alloc(4);
    plain.copy(group, 0, at, at + 4);
    let number = group.readUInt32BE();
    let digits = "";
    for (let digit = 0; digit < 5; digit++) {
      digits = String.fromCharCode(33 + (number % 85)) + digits;
      number = Math.floor(number / 85);
    }
    text += digits.slice(0, Math.min(4, plain.length - at) + 1);
  }
  return Buffer.from(`${text}~>`);
};
const script = "<< /S /JavaScript /JS (app.alert(1)) >>";

const harmless: readonly (readonly [what: string, bytes: Uint8Array])[] = [
  ["a page", pdf()],
  ["a link to a page about JavaScript", pdf("", "5 0 obj << /S /URI /URI (https://example.com/JavaScript/Launch) >> endobj\n")],
  ["a text in parentheses that do not end where they seem to", pdf("", "5 0 obj (a \\) /JS \\\\\\( (nested /AA) ) endobj\n")],
  ["a comment", pdf("", "% /JavaScript\n")],
  ["a place to begin at", pdf("/OpenAction [3 0 R /Fit]")],
  ["an action of going to that place", pdf("/OpenAction << /S /GoTo /D [3 0 R /Fit] >>")],
  ["an action of going to that place, in an object of its own", pdf("/OpenAction 5 0 R", "5 0 obj << /S /GoTo /D [3 0 R /Fit] >> endobj\n")],
  [
    "an action of going to that place, in a stream of objects",
    pdf("/OpenAction 5 0 R", objectStream({ 4: "(x)", 5: "<< /S /GoTo /D [3 0 R /Fit] >>" })),
  ],
  ["a compressed stream with these letters in it", pdf("", pdfStream(5, "/Filter /FlateDecode", "\x01/JS /AA /JavaScript(\x02"))],
  ["objects in a stream", pdf("", objectStream({ 5: "<< /Type /Annot >>", 6: "[1 2 3]" }))],
  [
    "objects in a stream, as text",
    pdf(
      "",
      objectStream({ 5: "<< /A 1 >>" }, "/Type /ObjStm /Filter [/ASCII85Decode /FlateDecode]", (plain) => ascii85(deflateSync(plain))),
    ),
  ],
  [
    "objects in a stream that is not compressed",
    pdf(
      "",
      objectStream({ 5: "<< /A 1 >>" }, "/Type /ObjStm", (plain) => plain),
    ),
  ],
];

const active: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ["JavaScript", pdf("", `5 0 obj ${script} endobj\n`)],
  ["JavaScript", pdf("", "5 0 obj << /S /J#61va#53cript >> endobj\n")],
  ["JS", pdf("", "5 0 obj << /J#53 (x) >> endobj\n")],
  ["JavaScript", pdf("/Names << /JavaScript 5 0 R >>")],
  ["JavaScript", pdf("/OpenAction << /S /JavaScript >>")],
  ["OpenAction", pdf("/OpenAction << /S /URI /URI (http://x) >>")],
  ["OpenAction", pdf("/OpenAction << /S /GoTo /D [3 0 R] /Next << /S /URI /URI (http://x) >> >>")],
  ["OpenAction", pdf("/OpenAction 5 0 R", "5 0 obj << /S /Named /N /Print >> endobj\n")],
  ["OpenAction", pdf("/OpenAction 5 0 R", "5 0 obj [3 0 R /Fit] endobj\n5 0 obj << /S /URI >> endobj\n")],
  ["OpenAction", pdf("/OpenAction 9 0 R")],
  ["OpenAction", pdf("", "<< /OpenAction [3 0 R /Fit] >>")],
  ["AA", pdf("/AA << /WC 5 0 R >>")],
  ["Launch", pdf("", "5 0 obj << /S /Launch /F (cmd.exe) >> endobj\n")],
  ["EmbeddedFiles", pdf("/Names << /EmbeddedFiles 5 0 R >>")],
  ["EmbeddedFile", pdf("", pdfStream(5, "/Type /EmbeddedFile", "MZ"))],
  ["RichMedia", pdf("", "5 0 obj << /Subtype /RichMedia >> endobj\n")],
  ["XFA", pdf("/AcroForm << /XFA 5 0 R >>")],
  ["SubmitForm", pdf("", "5 0 obj << /S /SubmitForm >> endobj\n")],
  ["GoToR", pdf("", "5 0 obj << /S /GoToR /F (\\\\\\\\host\\\\share) >> endobj\n")],
  ["JavaScript", pdf("", objectStream({ 5: script }))],
  ["JavaScript", pdf("", objectStream({ 4: "(unbalanced", 5: script }))],
  ["JavaScript", pdf("", objectStream({ 5: script }, "/Filter /FlateDecode"))],
  [
    "JavaScript",
    pdf(
      "",
      objectStream({ 5: script }, "/Type /Obj#53tm /Filter [/ASCIIHexDecode /FlateDecode]", (plain) => hex(deflateSync(plain))),
    ),
  ],
  ["JavaScript", pdf("", objectStream({ 5: script }, "/Type /ObjStm /Filter /ASCII85Decode", ascii85))],
  [
    "JavaScript",
    pdf(
      "",
      objectStream({ 5: script }, "/Type /ObjStm", (plain) => plain),
    ),
  ],
  ["JavaScript", pdf("", `5 0 obj ( 6 0 obj ${script} endobj ) endobj\n`)],
  ["JavaScript", pdf("", `5 0 obj ( unbalanced endobj\n6 0 obj ${script} endobj\n`)],
  ["JavaScript", pdf("", `% 6 0 obj ${script} endobj\n`)],
  ["JavaScript", pdf("", pdfStream(5, "", `6 0 obj ${script} endobj`))],
  ["JavaScript", pdf("", pdfStream(5, "/Filter /FlateDecode", `\x01( 6 0 obj ${script} endobj`))],
  ["JavaScript", pdf("", pdfStream(5, "", `endstream ( \n 6 0 obj ${script} endobj`))],
  ["JavaScript", pdf("", `5 0 obj << /A stream /S /JavaScript endstream >> endobj\n`)],
  ["JavaScript", pdf("", `5 0 obj << /A << >> stream\n/S /JavaScript endstream >> endobj\n`)],
  ["JavaScript", Buffer.from(`%PDF-1.4\n1 0 obj ${script}`)],
];

const opaque: readonly (readonly [what: string, bytes: Uint8Array])[] = [
  ["encrypted", pdf("", "trailer << /Encrypt 8 0 R >>")],
  ["encrypted, in other letters", pdf("", pdfStream(8, "/Type /XRef /#45ncrypt 8 0 R", "x"))],
  ["without objects", Buffer.from("%PDF-1.7\nno more than that")],
  [
    "with objects in a damaged stream",
    pdf(
      "",
      objectStream({ 5: script }, undefined, (plain) => deflateSync(plain).subarray(0, -6)),
    ),
  ],
  ["with objects in a stream of another kind", pdf("", objectStream({ 5: script }, "/Type /ObjStm /Filter /LZWDecode"))],
  [
    "with objects in a stream that predicts",
    pdf("", objectStream({ 5: script }, "/Type /ObjStm /Filter /FlateDecode /DecodeParms << /Predictor 12 >>")),
  ],
  ["with two filters", pdf("", objectStream({ 5: script }, "/Type /ObjStm /Filter /FlateDecode /Filter /ASCIIHexDecode"))],
  ["with a filter elsewhere", pdf("", objectStream({ 5: script }, "/Type /ObjStm /Filter 7 0 R"))],
  ["with objects somewhere", pdf("", pdfStream(20, "/Type /ObjStm /N 1 /First 7 0 R", "5 0 (x)"))],
  ["with objects outside of their stream", pdf("", pdfStream(20, "/Type /ObjStm /N 1 /First 4", "5 900 (x)"))],
  ["with objects one before the other", pdf("", pdfStream(20, "/Type /ObjStm /N 2 /First 9", "5 4 6 0   (x) (y)"))],
  ["with a stream of objects in a string", pdf("", "5 0 obj ( 6 0 obj << /Type /ObjStm >> stream ) endobj\n")],
  ["with a dictionary without end", pdf("", pdfStream(20, `/Type /ObjStm ${"/A ".repeat(5_000)} /N 1 /First 4`, "5 0 (x)"))],
];

describe("A PDF", () => {
  test.each(harmless)("passes with %s", async (_what, bytes) => {
    expect(await judge(pdfCheck(), "a.pdf", bytes)).toEqual({ verdict: "pass" });
  });

  test.each(active.map(([name, bytes], index) => [name, index, bytes] as const))("is refused for /%s (%i)", async (name, _index, bytes) => {
    expect(await judge(pdfCheck(), "a.pdf", bytes)).toMatchObject({ status: 422, code: "PDF_ACTIVE_CONTENT", extensions: { found: name } });
  });

  test.each(opaque)("cannot be looked into %s", async (_what, bytes) => {
    expect(await judge(pdfCheck(), "a.pdf", bytes)).toMatchObject({ status: 422, code: "UNSCANNABLE" });
  });

  test("may carry its data along where that is allowed", async () => {
    const invoice = pdf("/Names << /EmbeddedFiles 5 0 R >>", pdfStream(5, "/Type /EmbeddedFile", "<xml/>"));
    expect(await verdictOn(pdfCheck({ allow: ["EmbeddedFile", "EmbeddedFiles"] }), "a.pdf", invoice)).toBe("pass");
    expect(await verdictOn(pdfCheck({ allow: ["OpenAction"] }), "a.pdf", pdf("/OpenAction << /S /Named >>"))).toBe("pass");
  });

  test("is refused for objects that expand without end", async () => {
    const bomb = (megabytes: number) => objectStream({ 5: `(${"\0".repeat(megabytes * 1_000_000)})` });
    expect(await verdictOn(pdfCheck(), "a.pdf", pdf("", bomb(3)))).toBe("UNSCANNABLE");
    expect(await verdictOn(pdfCheck({ maxInflatedBytes: 1_000_000 }), "a.pdf", pdf("", bomb(0.6), bomb(0.6)))).toBe("UNSCANNABLE");
    expect(await verdictOn(pdfCheck({ maxInflatedBytes: 2_000_000 }), "a.pdf", pdf("", bomb(0.6), bomb(0.6)))).toBe("pass");
    expect(await verdictOn(pdfCheck({ maxBytes: 100 }), "a.pdf", pdf())).toBe("FILE_TOO_LARGE");
  });

  test("comes to a verdict wherever it ends", async () => {
    const bytes = pdf("/OpenAction 5 0 R", pdfStream(6, "", "(text"), objectStream({ 5: "<< /S /GoTo /D [3 0 R /Fit] >>" }));
    for (let end = 5; end < bytes.length; end++)
      expect(await verdictOn(pdfCheck(), "a.pdf", bytes.subarray(0, end))).toMatch(/^(?:pass|UNSCANNABLE|PDF_ACTIVE_CONTENT)$/);
  });

  test("comes to a verdict whatever its bytes", async () => {
    const piece = fc.constantFrom(
      "<<",
      ">>",
      "[",
      "]",
      "(",
      ")",
      "\\",
      "%",
      "\n",
      " ",
      "stream",
      "endstream",
      "1 0 obj",
      "endobj",
      "/N 1",
      "/First 4",
      "/Type /ObjStm",
      "#4a",
      "/",
      "<",
      ">",
      "R",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 60 }), async (pieces) => {
        expect(await verdictOn(pdfCheck(), "a.pdf", `%PDF-1.7\n${pieces.join(" ")}`)).toMatch(/^(?:pass|UNSCANNABLE|PDF_ACTIVE_CONTENT)$/);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  test("is refused for a script wherever it stands between other objects", async () => {
    const filler = fc.constantFrom(
      "5 0 obj (text) endobj\n",
      "6 0 obj (un\\(balanced endobj\n",
      "% comment\n",
      "7 0 obj <48> endobj\n",
      "8 0 obj <48 endobj\n",
      pdfStream(9, "", "x ("),
      objectStream({ 4: "(x)" }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(filler, { maxLength: 6 }), fc.array(filler, { maxLength: 6 }), async (before, after) => {
        expect(await verdictOn(pdfCheck(), "a.pdf", pdf("", ...before, `10 0 obj ${script} endobj\n`, ...after))).not.toBe("pass");
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});
