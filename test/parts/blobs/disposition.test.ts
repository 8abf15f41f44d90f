import fc from "fast-check";
import { expect, test } from "vitest";
import { contentDisposition } from "../../../src/parts/blobs/disposition.js";
import { fileName } from "../../../src/parts/blobs/fileName.js";

test.each([
  [undefined, "attachment"],
  // RFC 6266 §5
  ["example.html", `attachment; filename="example.html"`],
  ["an example.html", `attachment; filename="an example.html"`],
  ["€ rates", `attachment; filename="_ rates"; filename*=UTF-8''%E2%82%AC%20rates`],
  ["Übersicht.csv", `attachment; filename="Ubersicht.csv"; filename*=UTF-8''%C3%9Cbersicht.csv`],
  ["日本.pdf", `attachment; filename="__.pdf"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.pdf`],
  ["한글.txt", `attachment; filename="__.txt"; filename*=UTF-8''%ED%95%9C%EA%B8%80.txt`],
  ["😀.png", `attachment; filename="_.png"; filename*=UTF-8''%F0%9F%98%80.png`],
  ["100%.txt", `attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt`],
  ["it's (a) *.txt", `attachment; filename="it's (a) *.txt"`],
  ["ü's (a) *.txt", `attachment; filename="u's (a) *.txt"; filename*=UTF-8''%C3%BC%27s%20%28a%29%20%2A.txt`],
  ["cön.txt", `attachment; filename="_con.txt"; filename*=UTF-8''c%C3%B6n.txt`],
  ["\u0301", `attachment; filename="unnamed"; filename*=UTF-8''%CC%81`],
  ["a;b=c, d.txt", `attachment; filename="a;b=c, d.txt"`],
  ['x"; filename="evil.exe', `attachment; filename="x; filename=evil.exe"`],
  ["x\r\nSet-Cookie: a=b", `attachment; filename="xSet-Cookie: a=b"`],
  ["../../etc/passwd", `attachment; filename="passwd"`],
  ["", `attachment; filename="unnamed"`],
])("%j is proposed as %s", (name, header) => {
  expect(contentDisposition("attachment", name)).toBe(header);
});

test("what is shown in place can have a name as well", () => {
  expect(contentDisposition("inline", "cat.png")).toBe('inline; filename="cat.png"');
  expect(contentDisposition("inline")).toBe("inline");
});

/** The name that a browser takes: that of `filename*` where there is one. */
function nameIn(header: string): string | undefined {
  const { ascii, extended } =
    /^attachment; filename="(?<ascii>[^"\\]*)"(?:; filename\*=UTF-8''(?<extended>[\w!#$&+.^`|~%-]+))?$/.exec(header)?.groups ?? {};
  return extended === undefined ? ascii : decodeURIComponent(extended);
}

test("whatever the name, the header is ASCII in its grammar and gives back the safe name", () => {
  const name = fc.oneof(
    fc.array(fc.nat(0x10ffff)).map((points) => String.fromCodePoint(...points)),
    fc.string(),
    fc.string({ unit: fc.constantFrom(..."aü\"\\/%'*();=\r\n 日\u202e"), maxLength: 300 }),
  );
  fc.assert(
    fc.property(name, (given) => {
      const header = contentDisposition("attachment", given);
      expect(header).toMatch(/^[\x20-\x7e]+$/);
      expect(nameIn(header)).toBe(fileName(given));
    }),
  );
});
