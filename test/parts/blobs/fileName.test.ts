import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileName } from "../../../src/parts/blobs/fileName.js";
import { cpuMsSince } from "../../tools/cpuMs.js";

describe("what a client calls a file", () => {
  test.each([
    ["report.pdf", "report.pdf", "is kept"],
    ["my report (1).tar.gz", "my report (1).tar.gz", "is kept"],
    ["Übersicht 日本 😀.csv", "Übersicht 日本 😀.csv", "is kept"],
    ["U\u0308bersicht.csv", "\u00dcbersicht.csv", "is composed"],
    ["e\u200e\u0301.txt", "\u00e9.txt", "is composed, once what stands between is gone"],
    ["/etc/passwd", "passwd", "loses its folders"],
    ["C:\\Users\\ada\\report.pdf", "report.pdf", "loses its folders"],
    ["..\\../a/b\\c.txt", "c.txt", "loses its folders"],
    ["folder/", "unnamed", "was a folder"],
    ["", "unnamed", "is nothing"],
    [".", "unnamed", "is nothing"],
    ["..", "unnamed", "is nothing"],
    [" . .. ", "unnamed", "is nothing"],
    ["\u202e", "unnamed", "is nothing that is seen"],
    ['"', "unnamed", "is nothing that is seen"],
    [".htaccess", "htaccess", "loses its dots in front"],
    ["...report.pdf. . ", "report.pdf", "loses dots and spaces at both ends"],
    ["\u00a0report.pdf\u3000", "report.pdf", "loses spaces of all kinds at both ends"],
    ["a\0b\r\nc\td\u007fe\u0085f.txt", "abcdef.txt", "loses its controls"],
    ["photo\u202egpj.exe", "photogpj.exe", "loses marks that turn the text"],
    ["\ufeffa\u200eb\u200fc\u2066d\u2069e\u061cf.txt", "abcdef.txt", "loses marks that turn the text"],
    ["a%22b%0D%0Ac%0d.txt", "abc.txt", "loses what browsers escape"],
    ['say "hi".txt', "say hi.txt", "loses its quotes"],
    ["100%.txt", "100%.txt", "keeps other percent signs"],
    ["a%2Fb%00.txt", "a%2Fb%00.txt", "keeps other percent signs: nobody decodes them"],
    ["\ud800.txt", "\ufffd.txt", "is made well-formed"],
    ["con", "_con", "is no device"],
    ["NUL.txt", "_NUL.txt", "is no device"],
    ["aux .tar.gz", "_aux .tar.gz", "is no device"],
    ["Com1.log", "_Com1.log", "is no device"],
    ["LPT¹", "_LPT¹", "is no device"],
    ["CONIN$", "_CONIN$", "is no device"],
    ["folder/PRN ", "_PRN", "is no device"],
    ["console.txt", "console.txt", "only begins like one"],
    ["com10.txt", "com10.txt", "only begins like one"],
  ])("%j becomes %j: it %s", (given, name) => {
    expect(fileName(given)).toBe(name);
  });

  test("is cut to 255 bytes between two characters, and keeps its extension", () => {
    expect(fileName(`${"x".repeat(300)}.pdf`)).toBe(`${"x".repeat(251)}.pdf`);
    expect(fileName(`${"ü".repeat(300)}.pdf`)).toBe(`${"ü".repeat(125)}.pdf`);
    expect(fileName(`${"😀".repeat(100)}.tar.gz`)).toBe(`${"😀".repeat(63)}.gz`);
    expect(fileName(`${"x".repeat(250)}  .pdf`)).toBe(`${"x".repeat(250)}.pdf`);
    expect(fileName("x".repeat(300))).toBe("x".repeat(255));
    expect(fileName(`a.${"x".repeat(300)}`)).toBe(`a.${"x".repeat(253)}`);
    expect(fileName(`con.${"x".repeat(252)}`)).toBe(`_con.${"x".repeat(250)}`);
    expect(fileName(`${"x".repeat(255)}`)).toBe("x".repeat(255));
  });

  test("takes no longer for many spaces", () => {
    const started = process.cpuUsage();
    expect(fileName(`a${" ".repeat(200_000)}b`).length).toBe(1);
    expect(cpuMsSince(started)).toBeLessThan(1_000);
  });
});

const character = fc.oneof(
  fc.constantFrom(...'./\\" %\0\r\n\u202e\u2066\ufeff\u00a0\u0301'),
  fc.nat(0x10ffff).map((point) => String.fromCodePoint(point)),
  fc.constantFrom("con", "NUL", "%22", "%0A", "ü", "😀", "\ud800"),
);
const anyName = fc.array(character, { maxLength: 400 }).map((parts) => parts.join(""));

test("whatever a client sends, the name is short, composed, visible, no path, no device, and has no dot or space at its ends", () => {
  fc.assert(
    fc.property(anyName, (given) => {
      const name = fileName(given);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(name.length).toBeGreaterThan(0);
      expect(name.isWellFormed()).toBe(true);
      expect(name).toBe(name.normalize("NFC"));
      expect(name).not.toMatch(/[\p{Cc}\p{Bidi_Control}\ufeff"/\\]/u);
      expect(name).not.toMatch(/^[.\s]|[.\s]$/u);
      expect(name).not.toMatch(/^(?:con|prn|aux|nul|com\d|lpt\d)\s*(?:\.|$)/i);
    }),
  );
});

test("a name that was made safe stays as it is", () => {
  fc.assert(
    fc.property(
      anyName.filter((name) => !name.includes("%")),
      (given) => {
        expect(fileName(fileName(given))).toBe(fileName(given));
      },
    ),
  );
});
