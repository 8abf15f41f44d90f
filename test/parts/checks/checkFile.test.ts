// @slow

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readdirSync, readlinkSync, renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CheckFileOptions,
  ConfigurationError,
  checkFile,
  type FileCheck,
  FileUnreadable,
  macroCheck,
  metadataCheck,
  pass,
  pdfCheck,
  pixelCheck,
  reject,
  svgCheck,
  typeCheck,
  zipCheck,
} from "restwright/checks";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../tools/temporary.js";
import { exif, jpeg, jpegSegment, png } from "./samples/images.js";
import { docx } from "./samples/officeFiles.js";
import { pdf } from "./samples/pdf.js";
import { zipOf } from "./samples/zipFile.js";

const types = ["image/png", "image/jpeg", "image/svg+xml", "application/pdf", "text/csv", "text/plain", "application/zip"];
const office = ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/msword"];
const checks = [pixelCheck({ maxPixels: 1_000_000 }), zipCheck({ maxEntries: 4 }), macroCheck(), pdfCheck(), metadataCheck(), svgCheck()];
const options: CheckFileOptions = { types: [...types, ...office] };
const check = (name: string, run: FileCheck["run"], rest: Partial<FileCheck> = {}): FileCheck => ({ name, needs: "file", run, ...rest });

/** Writes a file into a folder of its own. @returns its path */
function written(filename: string, bytes: Uint8Array | string): string {
  const path = join(temporaryFolder(), filename);
  writeFileSync(path, bytes);
  return path;
}

describe("A file", () => {
  test.each<[string, string, Uint8Array | string, object]>([
    ["a PNG", "a.png", png(20, 10), { verdict: "pass", detectedType: "image/png", image: { width: 20, height: 10 }, bytes: undefined }],
    ["a PDF", "a.pdf", pdf(), { verdict: "pass", detectedType: "application/pdf", image: undefined, bytes: undefined }],
    ["a Word document", "a.docx", docx(), { verdict: "pass", bytes: undefined }],
    ["a CSV", "a.csv", "id,name\n1,Ada\n", { verdict: "pass", detectedType: "text/csv", size: 14 }],
    ["an empty text", "a.txt", "", { verdict: "pass", size: 0 }],
    ["a text longer than its head", "a.txt", "a".repeat(200_000), { verdict: "pass", size: 200_000 }],
    [
      "a JPEG with a place",
      "a.jpg",
      jpeg(8, 8, [jpegSegment(0xe1, exif(6))]),
      { verdict: "pass", bytes: expect.any(Uint8Array), image: { width: 8 } },
    ],
    [
      "an SVG with a script",
      "a.svg",
      "<svg xmlns='http://www.w3.org/2000/svg'><script>x</script><rect width='1' height='1'/></svg>",
      { verdict: "pass", bytes: expect.any(Uint8Array) },
    ],
    ["a PNG called a PDF", "a.pdf", png(), { verdict: "reject", status: 415, code: "TYPE_NOT_ALLOWED" }],
    ["a type that is not allowed", "a.gif", "GIF89a", { verdict: "reject", code: "TYPE_NOT_ALLOWED" }],
    ["a text with NUL behind its head", "a.txt", `${"a".repeat(100_000)}\0`, { verdict: "reject", code: "TYPE_NOT_ALLOWED" }],
    ["a large image", "a.png", png(2_000, 2_000), { verdict: "reject", status: 422, code: "IMAGE_TOO_LARGE" }],
    ["a PDF with a script", "a.pdf", pdf("/OpenAction << /S /JavaScript /JS (x) >>"), { verdict: "reject", code: "PDF_ACTIVE_CONTENT" }],
    ["a document with a control", "a.docx", docx({ "word/activeX/activeX1.xml": "<x/>" }), { verdict: "reject", code: "MACRO_FOUND" }],
    ["an archive of too many entries", "a.zip", zipOf({ a: "", b: "", c: "", d: "", e: "" }), { verdict: "reject", code: "UNSCANNABLE" }],
    ["a PDF that is encrypted", "a.pdf", pdf("/Encrypt 9 0 R"), { verdict: "reject", code: "UNSCANNABLE" }],
  ])("that is %s gets the same answer from bytes and from a path", async (_what, filename, content, expected) => {
    const fromPath = await checkFile(written(filename, content), checks, options);
    expect(fromPath).toMatchObject(expected);
    expect(await checkFile(Buffer.from(content), checks, { ...options, filename })).toEqual(fromPath);
  });

  test("is described as it is to be kept, after the checks that rewrite it", async () => {
    const photo = jpeg(8, 8, [jpegSegment(0xe1, exif(6))], "a tail that goes");
    const result = await checkFile(photo, [metadataCheck()]);
    if (result.verdict === "reject") throw new Error(result.detail);
    expect(result.size).toBe(result.bytes?.length);
    expect(result.size).toBeLessThan(photo.length);
  });

  test("in memory is called as its caller says, and claims nothing where that is nothing", async () => {
    expect(await checkFile(png(), [], { types, filename: "a.pdf" })).toMatchObject({ code: "TYPE_NOT_ALLOWED" });
    expect(await checkFile(png(), [], { types })).toMatchObject({ verdict: "pass" });
    expect(await checkFile(png(), [], { types, declaredType: "text/csv" })).toMatchObject({
      code: "TYPE_NOT_ALLOWED",
      extensions: { declared: "text/csv" },
    });
  });

  test("on disk is called as its path ends, unless told otherwise", async () => {
    const path = written("upload.tmp", png());
    expect(await checkFile(path, [typeCheck({ types })])).toMatchObject({ code: "TYPE_NOT_ALLOWED", extensions: { extension: "tmp" } });
    expect(await checkFile(path, [typeCheck({ types })], { filename: "a.png" })).toMatchObject({ verdict: "pass" });
  });

  test("has its checks run on the head first, then on the whole file, and those that rewrite it last", async () => {
    const ran: string[] = [];
    const noted = (name: string, rest: Partial<FileCheck>) => check(name, async () => (ran.push(name) > 0 ? pass : reject("UNSCANNABLE", "")), rest);
    const all = [noted("rewrite", { rewrites: true }), noted("file", {}), noted("stream", { needs: "stream" }), noted("head", { needs: "head" })];
    await checkFile(written("a.txt", "text"), all, { types });
    expect(ran).toEqual(["head", "file", "stream", "rewrite"]);
  });

  test("that somebody else judges is deferred, not accepted", async () => {
    expect(await checkFile(png(), [check("people", async () => ({ verdict: "defer" }))])).toMatchObject({ verdict: "defer", deferredTo: ["people"] });
  });
});

describe("A file on disk", () => {
  test("is read by ranges, in pieces of at most 64 KiB", async () => {
    const content = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    const pieces: number[] = [];
    const reading = check("reading", async (input) => {
      const hash = createHash("sha256");
      for await (const piece of input.read()) {
        pieces.push(piece.length);
        hash.update(piece);
      }
      const middle: Uint8Array[] = [];
      for await (const piece of input.read({ start: 65_530, end: 131_080 })) middle.push(piece);
      const isSame =
        hash.digest("hex") === createHash("sha256").update(content).digest("hex") && content.subarray(65_530, 131_080).equals(Buffer.concat(middle));
      return isSame && input.size === content.length ? pass : reject("UNSCANNABLE", "Other bytes.");
    });
    expect(await checkFile(written("a.bin", content), [reading])).toMatchObject({ verdict: "pass", size: 300_000 });
    expect(Math.max(...pieces)).toBeLessThanOrEqual(65_536);
  });

  test("of 64 GiB is rejected by its size, unread", async () => {
    const path = written("a.pdf", pdf());
    truncateSync(path, 2 ** 36);
    expect(await checkFile(path, [pdfCheck()])).toMatchObject({ verdict: "reject", code: "FILE_TOO_LARGE", extensions: { limit: 67_108_864 } });
  });

  test("that does not exist, or is no regular file, is an error that says so, and no verdict", async () => {
    const folder = temporaryFolder();
    const missing = join(folder, "missing.pdf");
    const error = await checkFile(missing, [pdfCheck()]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FileUnreadable);
    expect(error).toMatchObject({ message: `Cannot check the file "${missing}": there is no such file.`, path: missing, cause: { code: "ENOENT" } });
    mkdirSync(join(folder, "folder"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    for (const name of ["folder", "pipe"]) {
      await expect(checkFile(join(folder, name), [])).rejects.toThrow(`Cannot check the file "${join(folder, name)}": it is not a regular file.`);
    }
    expect(openBelow(folder)).toEqual([]);
  });

  test("that cannot be opened is an error with the reason of the system", async () => {
    const path = join(written("a.txt", "text"), "b.txt");
    await expect(checkFile(path, [])).rejects.toThrow(`Cannot check the file "${path}": ENOTDIR: not a directory`);
  });

  test.each<[string, (path: string) => void]>([
    ["written to", (path) => appendFileSync(path, "more")],
    ["cut off", (path) => truncateSync(path, 100)],
  ])("that is %s while it is checked is an error, and no verdict", async (_what, change) => {
    const path = written("a.txt", "a".repeat(200_000));
    const changing = check("changing", async (input) => {
      change(path);
      for await (const _piece of input.read());
      return pass;
    });
    await expect(checkFile(path, [changing])).rejects.toThrow(`Cannot check the file "${path}": it changed while it was checked.`);
    expect(openBelow(path)).toEqual([]);
  });

  test("stays the file that was opened, whatever is put at its path", async () => {
    const path = written("a.png", png());
    const replacing = check("replacing", async () => {
      renameSync(path, `${path}.old`);
      writeFileSync(path, "<script>");
      return pass;
    });
    const later = check("later", async (input) =>
      Buffer.from(await input.readAll(1_000)).equals(png()) ? pass : reject("UNSCANNABLE", "Other bytes."),
    );
    expect(await checkFile(path, [replacing, later])).toMatchObject({ verdict: "pass", detectedType: "image/png" });
  });

  test("is closed, and its check ended, when the caller aborts", async () => {
    const path = written("a.txt", "text");
    const caller = new AbortController();
    let ended: unknown;
    const endless = check("endless", ({ signal }) => {
      signal.addEventListener("abort", () => {
        ended = signal.reason;
      });
      caller.abort(new Error("The caller is gone."));
      return new Promise(() => {});
    });
    await expect(checkFile(path, [endless], { signal: caller.signal })).rejects.toThrow("The caller is gone.");
    expect(ended).toBe(caller.signal.reason);
    expect(openBelow(path)).toEqual([]);
    await expect(checkFile(path, [], { signal: caller.signal })).rejects.toThrow("The caller is gone.");
    await expect(checkFile(png(), [], { signal: caller.signal })).rejects.toThrow("The caller is gone.");
  });

  test("is rejected when a check takes longer than its time", async () => {
    const slow = check("slow", () => new Promise(() => {}));
    expect(await checkFile(written("a.txt", "text"), [slow], { timeoutMs: 20 })).toMatchObject({ status: 503, code: "SCAN_UNAVAILABLE" });
  });
});

test.each<[string, unknown, unknown, object?]>([
  ['checkFile: "source" must be a Uint8Array, or the path of a file; got 5.', 5, []],
  ['checkFile: "checks" must be an array, such as [zipCheck()]; got an object.', new Uint8Array(), zipCheck()],
  ['checkFile: "checks[0]" must be a check, with "name", "needs" and "run" (call it: pdfCheck()); got a function.', new Uint8Array(), [pdfCheck]],
  ['"checkFile.types" names "image/*", which is not recognised by its bytes.', new Uint8Array(), [], { types: ["image/*"] }],
])("%s", async (message, source, given, rest) => {
  const error = await Promise.resolve(Reflect.apply(checkFile, undefined, [source, given, rest])).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(String(error)).toContain(message);
});

/** Files that this process has open below a folder, by what Linux says. */
function openBelow(folder: string): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}
