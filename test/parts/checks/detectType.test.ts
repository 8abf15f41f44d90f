import fc from "fast-check";
import { detectType, fileTypes, headBytes } from "restwright/checks";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../tools/propertyRuns.js";
import { compoundFile, wordStream, workbookStream } from "./samples/compoundFile.js";
import { avif, bmp, box, gif, jpeg, png, webp, webpLossy } from "./samples/images.js";
import { docx, odt, pptx, xlsx } from "./samples/officeFiles.js";
import { pdf } from "./samples/pdf.js";
import { zipFile, zipOf } from "./samples/zipFile.js";

const bytes = (text: string, length = text.length) => Buffer.concat([Buffer.from(text, "latin1"), Buffer.alloc(length - text.length)]);
const ftyp = (brand: string, ...compatible: string[]) => box("ftyp", `${brand}\0\0\0\0${compatible.join("")}`);
const epub = zipFile([{ name: "mimetype", data: "application/epub+zip", isStored: true }]);
const installer = compoundFile({});
installer.write("84100c0000000000c000000000000046", installer.indexOf("R\0o\0o\0t\0") + 80, "hex");
const pptxWithWorkbook = zipFile([
  { name: "_rels/.rels", data: "" },
  { name: "ppt/embeddings/a.xlsx", data: xlsx(), isStored: true, local: { flags: 8, compressedSize: 0 }, central: { flags: 8 } },
  { name: "ppt/presentation.xml", data: "" },
]);
const open = "application/vnd.openxmlformats-officedocument";

const binary: readonly (readonly [type: string, bytes: Buffer, extension?: string])[] = [
  ["image/png", png()],
  ["image/jpeg", jpeg()],
  ["image/gif", gif(1, 1)],
  ["image/webp", webp([webpLossy(1, 1)])],
  ["image/avif", avif([1, 1])],
  ["image/avif", ftyp("mif1", "miaf", "avif")],
  ["image/heic", ftyp("heic", "mif1")],
  ["image/heic", ftyp("mif1", "heic")],
  ["image/bmp", bmp(1, 1)],
  ["image/tiff", bytes("II*\0")],
  ["image/tiff", bytes("MM\0*")],
  ["image/vnd.microsoft.icon", bytes("\0\0\x01\0\x01\0")],
  ["image/vnd.adobe.photoshop", bytes("8BPS\0\x01")],
  ["image/jxl", bytes("\xff\x0a\xfa")],
  ["application/pdf", pdf()],
  ["application/rtf", bytes("{\\rtf1 text}")],
  [`${open}.wordprocessingml.document`, docx()],
  [`${open}.spreadsheetml.sheet`, xlsx()],
  [`${open}.presentationml.presentation`, pptx()],
  ["application/vnd.ms-word.document.macroenabled.12", docx({ "word/vbaProject.bin": "x" })],
  ["application/vnd.ms-excel.sheet.macroenabled.12", xlsx(), "xlsm"],
  ["application/vnd.oasis.opendocument.text", odt()],
  ["application/epub+zip", epub],
  ["application/java-archive", zipOf({ "META-INF/MANIFEST.MF": "Manifest-Version: 1.0" })],
  ["application/vnd.android.package-archive", zipOf({ "META-INF/MANIFEST.MF": "", "AndroidManifest.xml": "" })],
  [`${open}.presentationml.presentation`, pptxWithWorkbook],
  ["application/zip", zipFile([{ name: "lib.jar", data: zipOf({ "META-INF/MANIFEST.MF": "" }), isStored: true }])],
  ["application/zip", zipOf({ "word/notes.txt": "a folder that is called word" })],
  ["application/zip", zipOf({})],
  ["application/msword", compoundFile({ WordDocument: wordStream() })],
  ["application/vnd.ms-excel", compoundFile({ Workbook: workbookStream([0]) })],
  ["application/vnd.ms-powerpoint", compoundFile({ "PowerPoint Document": Buffer.alloc(5000) })],
  ["application/x-msi", installer],
  ["application/x-cfb", compoundFile({ Message: Buffer.alloc(10) })],
  ["application/vnd.ms-powerpoint", compoundFile({ Other: Buffer.alloc(200_000) }).subarray(0, headBytes), "ppt"],
  ["application/gzip", bytes("\x1f\x8b\x08\0")],
  ["application/x-bzip2", bytes("BZh91AY&SY")],
  ["application/x-xz", bytes("\xfd7zXZ\0")],
  ["application/zstd", bytes("\x28\xb5\x2f\xfd")],
  ["application/x-7z-compressed", bytes("7z\xbc\xaf\x27\x1c")],
  ["application/vnd.rar", bytes("Rar!\x1a\x07\x01\0")],
  ["application/x-tar", Buffer.concat([bytes("name", 257), bytes("ustar\x0000")])],
  ["application/vnd.microsoft.portable-executable", bytes("MZ\x90", 100)],
  ["application/x-elf", bytes("\x7fELF\x02")],
  ["application/wasm", bytes("\0asm\x01")],
  ["application/vnd.sqlite3", bytes("SQLite format 3\0")],
  ["audio/mpeg", bytes("ID3\x03\0")],
  ["audio/mpeg", bytes("\xff\xfb\x90\x64")],
  ["audio/aac", bytes("\xff\xf1\x50\x80")],
  ["audio/wav", bytes("RIFF\0\0\0\0WAVEfmt ")],
  ["audio/flac", bytes("fLaC\0")],
  ["audio/ogg", bytes("OggS\0\x02")],
  ["audio/mp4", ftyp("M4A ", "isom")],
  ["audio/mp4", ftyp("isom", "mp42"), "m4a"],
  ["video/mp4", ftyp("mp42", "isom")],
  ["video/mp4", ftyp("isom", "mp41"), "mov"],
  ["video/quicktime", ftyp("qt  ")],
  ["video/3gpp", ftyp("3gp5", "isom")],
  ["video/vnd.avi", bytes("RIFF\0\0\0\0AVI LIST")],
  ["video/webm", bytes("\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm")],
  ["video/matroska", bytes("\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska")],
  ["font/woff", bytes("wOFF\0")],
  ["font/woff2", bytes("wOF2\0")],
  ["font/otf", bytes("OTTO\0")],
  ["font/ttf", bytes("\0\x01\0\0\0\x10")],
];

const texts: readonly (readonly [type: string | undefined, text: string, extension: string])[] = [
  ["text/plain", "a,b\n1,2\n", "txt"],
  ["text/plain", "Grüße aus Wien\n", ""],
  ["text/plain", "BMW, MZ, ID3 and RIFF are words.", "txt"],
  ["text/csv", "a,b\n1,2\n", "csv"],
  ["text/csv", "", "csv"],
  ["text/tab-separated-values", "a\tb", "tsv"],
  ["text/markdown", "<p align=center>Title</p>", "md"],
  ["application/json", `{"a":1}`, "json"],
  ["application/json", ` [1]`, ""],
  ["application/json", "\uFEFF[]", "json"],
  ["text/plain", `{"a":`, "json"],
  ["text/plain", "", "json"],
  ["text/plain", `{"a":1}`, "txt"],
  ["application/x-ndjson", `{"a":1}\n{"a":2}`, "ndjson"],
  ["application/xml", `<?xml version="1.0"?><note/>`, "xml"],
  ["application/xml", `<note>a < b</note>`, "xml"],
  ["text/plain", "<not xml, but a remark>", "txt"],
  ["image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg"/>`, "svg"],
  ["image/svg+xml", `\uFEFF<?xml version="1.0"?>\n<!-- a > b --><!DOCTYPE svg [<!ENTITY x "]>">]><svg:svg xmlns:svg="urn:x">`, "txt"],
  ["text/html", "<!doctype HTML><p>", "html"],
  ["text/html", "  <script>alert(1)</script>", "txt"],
  ["text/html", "<!-- x --><b>hi</b>", "csv"],
  ["text/html", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`, "xml"],
  [undefined, "a\0b", "txt"],
];

describe("The type of a file", () => {
  test.each(binary.map(([type, head, extension = ""]) => [type, head, extension] as const))("is %s, by its bytes", (type, head, extension) => {
    expect(detectType(head, { extension, isWhole: true })).toBe(type);
  });

  test.each(texts)("is %s, by its text: %j as .%s", (type, text, extension) => {
    expect(detectType(Buffer.from(text), { extension, isWhole: true })).toBe(type);
  });

  test("is one of the list of types, whose names and extensions are each there once", () => {
    const known = new Set(fileTypes.map(({ type }) => type));
    for (const [type] of binary) expect(known).toContain(type);
    expect(known.size).toBe(fileTypes.length);
    const extensions = fileTypes.flatMap((type) => type.extensions);
    expect(new Set(extensions).size).toBe(extensions.length);
    for (const name of [...known, ...extensions]) expect(name).toBe(name.toLowerCase());
  });

  test("is no text where the bytes are not strict UTF-8", () => {
    for (const hex of ["c080", "ff", "eda080", "f4908080", "e28228", "61e282"])
      expect(detectType(Buffer.from(hex, "hex"), { isWhole: true })).toBeUndefined();
  });

  test("is text where the head ends within a character, and the file does not", () => {
    const head = Buffer.from("Wien €😀");
    for (const cut of [1, 2, 3]) {
      expect(detectType(head.subarray(0, -cut))).toBe("text/plain");
      expect(detectType(head.subarray(0, -cut), { isWhole: true })).toBeUndefined();
    }
    expect(detectType(Buffer.from("61ff", "hex"))).toBeUndefined();
  });

  test("is what it begins as, whatever else it is", () => {
    expect(detectType(Buffer.from("GIF89a/*<html>*/=1;alert(1)"), { extension: "js" })).toBe("image/gif");
    expect(detectType(Buffer.concat([pdf(), zipOf({ a: "b" })]), { extension: "zip" })).toBe("application/pdf");
    expect(detectType(png(1, 1, [], "<script>alert(1)</script>"), { extension: "html" })).toBe("image/png");
  });

  test("is told of any bytes without an error, and by an extension of any kind", () => {
    const heads: readonly Buffer[] = binary.map(([, head]) => head.subarray(0, 600));
    const damaged = fc
      .tuple(fc.constantFrom(...heads), fc.nat(600), fc.uint8Array({ maxLength: 40 }))
      .map(([head, at, junk]) => Buffer.concat([head.subarray(0, at), junk]));
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array({ maxLength: 300 }), damaged),
        fc.constantFrom("", "csv", "json", "__proto__", "doc"),
        fc.boolean(),
        (head, extension, isWhole) => {
          const type = detectType(head, { extension, isWhole });
          expect(type === undefined || fileTypes.some((known) => known.type === type)).toBe(true);
        },
      ),
      { numRuns: propertyRuns(500) },
    );
  });
});
