import { headBytes, rejectClaim, textCheck, typeCheck } from "restwright/checks";
import { describe, expect, test } from "vitest";
import { fileOf, verdictOn } from "./samples/fileOf.js";
import { gif, jpeg, png } from "./samples/images.js";
import { docx } from "./samples/officeFiles.js";
import { pdf } from "./samples/pdf.js";
import { zipOf } from "./samples/zipFile.js";

const types = ["image/png", "image/jpeg", "text/csv", "text/plain", "application/json"];

async function allows(filename: string, bytes: Uint8Array | string, declaredType?: string): Promise<boolean> {
  const { verdict } = await typeCheck({ types }).run(await fileOf(filename, bytes, { declaredType }));
  return verdict === "pass";
}

describe("A list of types", () => {
  test.each([
    ["a.png", png(), "image/png"],
    ["a.PNG", png(), ""],
    ["a.png", png(), "application/octet-stream"],
    ["a.png", png(), "image/x-png"],
    ["a.jpeg", jpeg(), "IMAGE/JPG; charset=binary"],
    ["a.b.jpg", jpeg(), undefined],
    ["noExtension", png(), undefined],
    ["a.csv", "a;b\n1;2", "application/vnd.ms-excel"],
    ["a.csv", "a;b\n1;2", "text/csv; charset=utf-8"],
    ["a.txt", "a;b\n1;2", "text/plain"],
    ["a.json", "{}", "application/json"],
  ])("takes %s with the bytes of its type, declared as it or as nothing", async (filename, bytes, declared) => {
    expect(await allows(filename, bytes, declared)).toBe(true);
  });

  test.each([
    ["a type that is not in it", "a.gif", gif(1, 1), "image/gif"],
    ["bytes of another type than the extension's", "a.jpg", png(), undefined],
    ["an extension of no type", "a.exe", png(), "image/png"],
    ["a declared type that is another", "a.png", png(), "image/jpeg"],
    ["a declared type that is none", "a.png", png(), "nonsense"],
    ["bytes of no type", "a.png", Buffer.from([1, 2, 0]), "image/png"],
    ["an image that is called a text", "a.csv", png(), "text/csv"],
    ["a text with NUL", "a.csv", "a,b\0", "text/csv"],
    ["a text that is not UTF-8", "a.txt", Buffer.from("Gr\xfc\xdfe", "latin1"), "text/plain"],
    ["a page that is called a text", "a.txt", "<html><script>", "text/plain"],
    ["a script within an image, as a script", "a.js", "GIF89a=1;alert(1)", "text/javascript"],
    ["an image with a page behind it, as a page", "a.html", png(1, 1, [], "<html>"), "text/html"],
    ["a PDF with an archive behind it, as a document", "a.docx", Buffer.concat([pdf(), docx()]), undefined],
    ["a PDF with an archive behind it, as an archive", "a.zip", Buffer.concat([pdf(), zipOf({ a: "" })]), undefined],
    ["an archive, as JSON", "a.json", zipOf({ a: "" }), undefined],
  ])("refuses %s", async (_what, filename, bytes, declared) => {
    expect(await allows(filename, bytes, declared)).toBe(false);
  });

  test("says what was found and what is allowed", async () => {
    const input = await fileOf("photo.jpg", gif(1, 1), { declaredType: "image/jpeg" });
    expect(await typeCheck({ types: ["image/jpg", "image/png"] }).run(input)).toEqual({
      verdict: "reject",
      status: 415,
      code: "TYPE_NOT_ALLOWED",
      detail:
        'The file is image/gif, and "jpg" by its name and "image/jpeg" by its header; allowed are image/jpeg, image/png, under names and types of their own.',
      extensions: { allowed: ["image/jpeg", "image/png"], declared: "image/jpeg", detected: "image/gif", extension: "jpg" },
    });
  });

  test("is refused itself where it names what no bytes tell", () => {
    expect(() => typeCheck({ types: ["image/*"] })).toThrow(
      '"types" names "image/*", which is not recognised by its bytes. Name each type: image/png, ',
    );
    expect(() => typeCheck({ types: [".docx"] })).toThrow("Name each type: application/vnd.openxmlformats-officedocument.wordprocessingml.document.");
    expect(() => typeCheck({ types: ["application/x-foo"] })).toThrow(/^"types" names "application\/x-foo".* Those that are: .*text\/csv/);
    expect(() => typeCheck({ types: ["*/*"] })).toThrow('text/html. "any" accepts all files.');
  });

  test("takes anything as `any`", async () => {
    expect(await verdictOn(typeCheck({ types: "any" }), "a.exe", Buffer.from([1, 2, 0]))).toBe("pass");
  });

  test("judges what is only announced by its name and its declared type", () => {
    expect(rejectClaim(types, { extension: "png", declaredType: "image/png" })).toBeUndefined();
    expect(rejectClaim(types, { extension: "png", declaredType: "image/jpeg" })).toMatchObject({
      code: "TYPE_NOT_ALLOWED",
      extensions: { detected: null },
    });
    expect(rejectClaim("any", { extension: "exe", declaredType: undefined })).toBeUndefined();
  });
});

describe("A text", () => {
  const long = `${"Wien €😀, ".repeat(12_000)}end`;

  test.each([1, 7, 4_096, 65_536])("passes whole, in chunks of %s bytes", async (chunkBytes) => {
    const text = chunkBytes === 1 ? long.slice(0, 5_000) : long;
    expect(await textCheck().run(await fileOf("a.txt", text, { chunkBytes }))).toEqual({ verdict: "pass" });
  });

  test.each([
    ["with NUL", Buffer.from([0])],
    ["that is not UTF-8", Buffer.from([0xe2, 0x28, 0xa1])],
    ["that ends within a character", Buffer.from([0xe2, 0x82])],
  ])("is refused behind its head, %s", async (_what, tail) => {
    const bytes = Buffer.concat([Buffer.from(long), tail]);
    expect(bytes.length).toBeGreaterThan(headBytes);
    expect(await verdictOn(textCheck(), "a.csv", bytes)).toBe("TYPE_NOT_ALLOWED");
  });

  test("is no concern of it where it is none", async () => {
    expect(await verdictOn(textCheck(), "a.png", png())).toBe("pass");
  });
});
