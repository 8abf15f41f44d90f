import { zipCheck } from "restwright/checks";
import { describe, expect, test } from "vitest";
import { judge, verdictOn } from "./samples/fileOf.js";
import { docx, odt } from "./samples/officeFiles.js";
import { type ZipSample, zipFile, zipOf } from "./samples/zipFile.js";

const plain: ZipSample = { name: "a.txt", data: "some text" };
const stored: ZipSample = { name: "b.txt", data: "as it is", isStored: true };
const sizesBehind: ZipSample = {
  name: "c.txt",
  data: "streamed",
  local: { flags: 8, crc: 0, size: 0, compressedSize: 0 },
  central: { flags: 8 },
  tail: Buffer.alloc(16),
};

describe("An archive", () => {
  test.each([
    ["of files, compressed, as they are, and streamed", zipFile([plain, stored, sizesBehind])],
    ["of nothing", zipOf({})],
    ["with a comment", zipFile([plain], { comment: "PK\x05\x06 is how it ends" })],
    ["that is a document", docx()],
    ["that is an OpenDocument", odt()],
    ["of 10,000 entries", zipFile(Array.from({ length: 10_000 }, (_, index) => ({ name: `${index}`, data: "", isStored: true })))],
    ["with a file of little variety", zipOf({ "a.txt": Buffer.alloc(1_000_000) })],
  ])("passes, %s", async (_what, bytes) => {
    expect(await judge(zipCheck(), "a.zip", bytes)).toEqual({ verdict: "pass" });
  });

  test.each([
    ["with more entries than are looked at", zipFile(Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, data: "", isStored: true })))],
    ["that expands a thousandfold", zipOf({ bomb: Buffer.alloc(20_000_000) })],
    ["that says it is smaller than it is", zipFile([{ name: "a", data: Buffer.alloc(5_000_000), local: { size: 10 }, central: { size: 10 } }])],
    ["that says it is larger than it is", zipFile([{ name: "a", data: "text", local: { size: 10 }, central: { size: 10 } }])],
    ["with a sum that is not the file's", zipFile([{ ...plain, local: { crc: 1 }, central: { crc: 1 } }])],
    ["with a sum of a stored file that is not its own", zipFile([{ ...stored, local: { crc: 1 }, central: { crc: 1 } }])],
    [
      "with bytes behind the data of an entry",
      zipFile([{ ...plain, local: { compressedSize: 13 }, central: { compressedSize: 13 }, tail: Buffer.alloc(2) }]),
    ],
    ["whose directory names an entry otherwise", zipFile([{ ...plain, local: { name: "b.exe" } }])],
    ["whose directory has another size", zipFile([{ ...plain, local: { size: 8 } }])],
    ["whose directory has another method", zipFile([{ ...stored, local: { method: 8 } }])],
    ["whose directory has other flags", zipFile([{ ...plain, central: { flags: 8 } }])],
    ["with an entry that is not in the directory", zipFile([plain, { ...stored, isUnlisted: true }])],
    ["with an entry before all others that is not in the directory", zipFile([{ ...stored, isUnlisted: true }, plain])],
    ["with an entry twice", zipFile([plain, plain])],
    ["with an entry that lies over another", zipFile([plain, { ...plain, name: "b.txt", central: { name: "a.txt", offset: 0 } }])],
    ["whose entries are fewer than it says", zipFile([plain], { count: 2 })],
    ["whose entries are more than it says", zipFile([plain, stored], { count: 1 })],
    ["that is encrypted", zipFile([{ ...plain, local: { flags: 1 }, central: { flags: 1 } }])],
    ["compressed by a method of its own", zipFile([{ ...plain, local: { method: 14 }, central: { method: 14 } }])],
    ["with bytes behind its end", Buffer.concat([zipFile([plain]), Buffer.from("x")])],
    ["with an entry above the folder", zipOf({ "a/../../b": "x" })],
    ["with an entry above the folder, by backslashes", zipOf({ "..\\b": "x" })],
    ["with an entry at a place of its own", zipOf({ "/etc/passwd": "x" })],
    ["with an entry on a drive", zipOf({ "C:b": "x" })],
    ["with a link", zipFile([{ name: "a", data: "/etc/passwd", mode: 0o120777 }])],
  ])("is refused, %s", async (_what, bytes) => {
    expect(await verdictOn(zipCheck(), "a.zip", bytes)).toBe("UNSCANNABLE");
  });

  test("is refused where all of it together expands to more than is allowed", async () => {
    const bytes = zipOf(Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`${index}`, Buffer.alloc(1_000_000)])));
    expect(await verdictOn(zipCheck({ maxInflatedBytes: 9_000_000 }), "a.zip", bytes)).toBe("pass");
    expect(await judge(zipCheck({ maxInflatedBytes: 8_999_999 }), "a.zip", bytes)).toMatchObject({
      code: "UNSCANNABLE",
      detail: "The file expands to more than 8999999 bytes.",
    });
    expect(await verdictOn(zipCheck({ maxBytes: 100 }), "a.zip", bytes)).toBe("FILE_TOO_LARGE");
  });

  test("with sizes for more than 4 GiB is read, where they say what is there", async () => {
    expect(await verdictOn(zipCheck(), "a.zip", largeZip("text"))).toBe("pass");
    expect(await verdictOn(zipCheck(), "a.zip", largeZip("text", 5))).toBe("UNSCANNABLE");
  });

  test("is refused wherever it ends early", async () => {
    const bytes = zipFile([plain, stored]);
    for (let end = 4; end < bytes.length; end++) expect(await verdictOn(zipCheck(), "a.zip", bytes.subarray(0, end))).toBe("UNSCANNABLE");
  });
});

/** One stored entry, with everything in the fields of ZIP64. */
function largeZip(text: string, size = text.length): Buffer {
  const extra = Buffer.alloc(20);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(16, 2);
  extra.writeUInt32LE(size, 4);
  extra.writeUInt32LE(text.length, 12);
  const unknown = { size: 0xffffffff, compressedSize: 0xffffffff };
  const bytes = zipFile([{ name: "a", data: text, isStored: true, local: unknown, central: unknown }]);
  const localEnd = 31;
  const centralStart = localEnd + text.length;
  const local = Buffer.from(bytes.subarray(0, localEnd));
  local.writeUInt16LE(extra.length, 28);
  const central = Buffer.from(bytes.subarray(centralStart, centralStart + 47));
  central.writeUInt16LE(extra.length, 30);
  const start = local.length + extra.length + text.length;
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeUInt32LE(44, 4);
  record.writeUInt32LE(1, 24);
  record.writeUInt32LE(1, 32);
  record.writeUInt32LE(central.length + extra.length, 40);
  record.writeUInt32LE(start, 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeUInt32LE(start + central.length + extra.length, 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22, 0xff);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(0, 4);
  end.writeUInt16LE(0, 20);
  return Buffer.concat([local, extra, Buffer.from(text), central, extra, record, locator, end]);
}
