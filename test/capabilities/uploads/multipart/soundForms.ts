import { crlf, type FormOptions, formOf, partOf, type SeenPart } from "./forms.js";

/** What is odd, the body, what must come out, and how the form comes. */
export type SoundForm = readonly [name: string, body: string, parts: readonly SeenPart[], options?: FormOptions];

const field = partOf('name="a"', "1");
const one: readonly SeenPart[] = [{ name: "a", value: "1" }];

const frames: readonly SoundForm[] = [
  ["no parts", "--b--\r\n", []],
  ["no parts and no line break", "--b--", []],
  ["no line break at the end", formOf(field).trimEnd(), one],
  ["spaces behind the closing boundary", `${formOf(field).trimEnd()} \t\r\n`, one],
  ["LF behind the closing boundary", `${formOf(field).trimEnd()}\n`, one],
  ["a preamble", `This is MIME.\r\n--c\r\n${formOf(field)}`, one],
  ["an empty line before it", `\r\n${formOf(field)}`, one],
  ["an epilogue", `${formOf(field)}Good bye.\r\n-- b\r\n\n--b--\r\n`, one],
  ["a boundary in quotes", formOf(field).replaceAll("--b", "--b c"), one, { contentType: 'multipart/form-data; boundary="b c"' }],
  ["an escape in the quotes of the boundary", formOf(field), one, { contentType: 'Multipart/Form-Data; charset=utf-8; Boundary="\\b"' }],
  [
    "a boundary of all characters",
    formOf(field).replaceAll("--b", "--'()+_,-./:=?x"),
    one,
    { contentType: `multipart/form-data; boundary="'()+_,-./:=?x"` },
  ],
  [
    "a boundary of 70 characters",
    formOf(field).replaceAll("--b", `--${"b".repeat(70)}`),
    one,
    { contentType: `multipart/form-data; boundary=${"b".repeat(70)}` },
  ],
  ["a boundary of dashes", formOf(field).replaceAll("--b", "-------"), one, { contentType: "multipart/form-data; boundary=-----" }],
  [
    "what looks like a boundary",
    formOf(partOf('name="a"', "x--b\r\n--c\r\n-\r\n--\r\n\r\nx--b\n--b--\r")),
    [{ name: "a", value: "x--b\r\n--c\r\n-\r\n--\r\n\r\nx--b\n--b--\r" }],
  ],
  [
    "content that is a line break",
    formOf(partOf('name="a"', "\r\n"), partOf('name="b"', "\r"), partOf('name="c"', "\n")),
    [
      { name: "a", value: "\r\n" },
      { name: "b", value: "\r" },
      { name: "c", value: "\n" },
    ],
  ],
  [
    "content that begins like a boundary",
    formOf(partOf('name="a"; filename="f"', "\r\n--\r\n-\r\n--a")),
    [{ name: "a", filename: "f", content: "\r\n--\r\n-\r\n--a" }],
  ],
  [
    "empty parts",
    formOf(partOf('name="a"', ""), partOf('name="b"; filename="f"', ""), field),
    [{ name: "a", value: "" }, { name: "b", filename: "f", content: "" }, ...one],
  ],
  [
    "an empty part that shares its line break",
    '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n--b--',
    [
      { name: "a", value: "" },
      { name: "f", filename: "f", content: "" },
    ],
  ],
];

const file = { name: "f", content: "x" };
const heads: readonly SoundForm[] = [
  ["headers in another case", formOf("CONTENT-disposition:Form-Data;NAME=a\r\n\r\n1"), one],
  ["other headers", formOf(partOf('name="a"', "1", "X-A: ü; b", "X-A: c", "Content-Length: 7", "Content-ID: <a>")), one],
  ["other parameters", formOf(partOf('size=1; name="a"; x="y;z"', "1")), one],
  ["a semicolon and a quote in a name", formOf(partOf('name="a;\\"name=b"', "1")), [{ name: 'a;"name=b', value: "1" }]],
  ["a name in UTF-8", formOf(partOf('name="Größe 😀"', "1")), [{ name: "Größe 😀", value: "1" }]],
  [
    "names of prototypes",
    formOf(partOf('name="__proto__"', "1"), partOf('name="constructor"', "2")),
    [
      { name: "__proto__", value: "1" },
      { name: "constructor", value: "2" },
    ],
  ],
  ["the same name again", formOf(field, partOf('name="a"', "2"), field), [...one, { name: "a", value: "2" }, ...one]],
  ["a name of 200 bytes", formOf(partOf(`name="${"ü".repeat(100)}"`)), [{ name: "ü".repeat(100), value: "x" }]],
  ["a head of 16 KiB", formOf(partOf('name="a"', "1", `X: ${"y".repeat(16_384 - 44 - 3 - 2)}`)), one],
  [
    "encodings that change nothing",
    formOf(...["7bit", "8BIT", "Binary"].map((encoding) => partOf('name="a"', "1", `Content-Transfer-Encoding: ${encoding}`))),
    [...one, ...one, ...one],
  ],
  [
    "a type of a field",
    formOf(partOf('name="a"', "{}", "Content-Type: Application/JSON; charset=utf-8")),
    [{ name: "a", value: "{}", type: "application/json" }],
  ],
  ["a type that is none", formOf(partOf('name="f"; filename="f"', "x", "Content-Type: none")), [{ ...file, filename: "f" }]],
  [
    "a charset of a file, whatever it is",
    formOf(partOf('name="f"; filename="f"', "x", "Content-Type: text/csv; charset=Shift_JIS")),
    [{ ...file, filename: "f", type: "text/csv", charset: "shift_jis" }],
  ],
  [
    "bytes without a file name",
    formOf(partOf('name="f"', "x", "Content-Type: application/octet-stream")),
    [{ ...file, filename: "unnamed", type: "application/octet-stream" }],
  ],
  [
    "an empty file name of a text",
    formOf(partOf('name="f"; filename=""', "x", "Content-Type: text/plain")),
    [{ ...file, filename: "unnamed", type: "text/plain" }],
  ],
  ["a file without a type", formOf(partOf('name="f"; filename="f"')), [{ ...file, filename: "f" }]],
  [
    "multipart in multipart",
    formOf(partOf('name="a"', '--c\r\nContent-Disposition: file; filename="f"\r\n\r\nx\r\n--c--', "Content-Type: multipart/mixed; boundary=c")),
    [{ name: "a", value: '--c\r\nContent-Disposition: file; filename="f"\r\n\r\nx\r\n--c--', type: "multipart/mixed" }],
  ],
];

const filenames: readonly SoundForm[] = [
  ['filename="../../etc/passwd"', "passwd"],
  ['filename=".."', "unnamed"],
  ['filename="C:\\fakepath\\x.png"', "x.png"],
  ['filename="C:\\\\fakepath\\\\x.png"', "x.png"],
  ['filename="a%22b%0D%0Ac.txt"', "abc.txt"],
  ['filename="Übersicht.pdf"', "Übersicht.pdf"],
  ["filename=plain.txt", "plain.txt"],
  ["filename=\"a.txt\"; filename*=UTF-8''%c3%bc%20b.txt", "ü b.txt"],
  ["filename*=utf-8'de'%C3%9C.txt; filename=a.txt", "Ü.txt"],
  ["filename*=ISO-8859-1''%fc.txt", "ü.txt"],
  ["filename*=UTF-8''gpj%E2%80%AEexe.png", "gpjexe.png"],
  ["filename*=UTF-8''a%00.php%00.png", "a.php.png"],
  ["filename*=UTF-8''..%2F..%2Fa", "a"],
  ["filename*=UTF-8''%ff", "\ufffd"],
  ['filename="CON.txt"', "_CON.txt"],
  [`filename="${"a".repeat(300)}.png"`, `${"a".repeat(251)}.png`],
].flatMap(([parameters = "", filename]): SoundForm[] =>
  filename === undefined ? [] : [[`the file name ${parameters.slice(0, 60)}`, formOf(partOf(`name="f"; ${parameters}`)), [{ ...file, filename }]]],
);

const charsets: readonly SoundForm[] = [
  ["utf-8", "ü"],
  ["UTF8", "ü"],
  ["us-ascii", "Ã¼"],
  ["ISO-8859-1", "Ã¼"],
  ["windows-1252", "Ã¼"],
  ["utf-16le", "볃"],
].map(
  ([charset = "", value = ""]): SoundForm => [
    `a field in ${charset}`,
    formOf(partOf('name="a"', "ü", `Content-Type: text/plain; charset=${charset}`)),
    [{ name: "a", value, type: "text/plain" }],
  ],
);

const ten = partOf('name="f"; filename="f"', "1234567890");
const tenSeen = { name: "f", filename: "f", content: "1234567890" };
const limits: readonly SoundForm[] = [
  ["a file exactly at its limit", formOf(ten), [tenSeen], { fileBytes: 10 }],
  ["a field exactly at its limits", formOf(field, field), [...one, ...one], { fieldBytes: 1, allFieldsBytes: 2, nameBytes: 1 }],
  ["a body exactly at its limit", formOf(field), one, { requestBytes: formOf(field).length }],
  ["as many parts as there may be", formOf(ten, field, ten), [tenSeen, ...one, tenSeen], { files: 2, fields: 1, parts: 3 }],
  ["as many fields as by default", formOf(...Array.from({ length: 100 }, () => field)), Array.from({ length: 100 }, () => one).flat()],
  ["as many files as by default", formOf(...Array.from({ length: 20 }, () => ten)), Array.from({ length: 20 }, () => tenSeen)],
];

/** Forms that are read, each odd in one way. */
export const soundForms: readonly SoundForm[] = [...frames, ...heads, ...filenames, ...charsets, ...limits];

/** A form as browsers send it. */
export const usualForm = crlf(
  "------WebKitFormBoundary7MA4YWxkTrZu0gW",
  'Content-Disposition: form-data; name="title"',
  "",
  "Grüße",
  "------WebKitFormBoundary7MA4YWxkTrZu0gW",
  'Content-Disposition: form-data; name="photo"; filename="me.png"',
  "Content-Type: image/png",
  "",
  "\u0089PNG\r\n--\r\n",
  "------WebKitFormBoundary7MA4YWxkTrZu0gW--",
  "",
);
