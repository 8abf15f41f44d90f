import { crlf, type FormOptions, formOf, partOf } from "./forms.js";

/** What is wrong, the body, the code, a piece of what is said, and how the form comes. */
export type MalformedForm = readonly [name: string, body: string, code: string, detail: string, options?: FormOptions];

const malformed = "MALFORMED_MULTIPART";
const field = partOf('name="a"', "1");
const disposition = 'Content-Disposition: form-data; name="a"';

const frames: readonly MalformedForm[] = [
  ["nothing at all", "", malformed, "does not begin any line"],
  ["a preamble only", "Hello.\r\n", malformed, "does not begin any line"],
  ["another boundary", formOf(field), malformed, "does not begin any line", { contentType: "multipart/form-data; boundary=c" }],
  ["a boundary that begins no line", `x${formOf(field)}`, malformed, "no parts, but text before"],
  ["an end in the first boundary", "--b", malformed, "first boundary"],
  ["an end in the line break of the first boundary", "--b\r", malformed, "first boundary"],
  ["an end behind the first boundary", "--b\r\n", malformed, "Part 1 of the form does not end"],
  ["an end in the headers", `--b\r\n${disposition}\r\n`, malformed, "Part 1 of the form does not end"],
  ["an end in the content", `--b\r\n${field}`, malformed, "Part 1 of the form does not end"],
  ["an end behind a boundary", `--b\r\n${field}\r\n--b`, malformed, "Part 1 of the form does not end"],
  ["an end in the second part", `--b\r\n${field}\r\n--b\r\n${field}`, malformed, "Part 2 of the form does not end"],
  ["an end within the closing boundary", `--b\r\n${field}\r\n--b-`, malformed, "Part 1 of the form does not end"],
  ["lines that end in LF", formOf(field).replaceAll("\r\n", "\n"), malformed, "line break (CRLF)"],
  ["a boundary that ends in LF", formOf(field).replace("--b\r\n", "--b\n"), malformed, "line break (CRLF)"],
  ["lines that end in CR", formOf(field).replaceAll("\r\n", "\r"), malformed, "line break (CRLF)"],
  ["a word behind a boundary and a space", formOf(field).replace("--b\r\n", "--b X\r\n"), malformed, "line break (CRLF)"],
  ["dashes behind a boundary and a space", formOf(field).replace("--b--\r\n", "--b --\r\n"), malformed, "line break (CRLF)"],
  ["an end in the white space behind a boundary", `--b\r\n${field}\r\n--b \t`, malformed, "Part 1 of the form does not end"],
  ["a longer word for a boundary", formOf(field).replace("--b\r\n", "--bX\r\n"), malformed, "line break (CRLF)"],
  [
    "a line of the content that begins with the boundary",
    formOf(partOf('name="a"', "1\r\n--boundary")),
    malformed,
    "Part 2 of the form: the boundary before it is not followed",
  ],
  ["one dash behind the closing boundary", `--b\r\n${field}\r\n--b-\r\n`, malformed, "Part 2 of the form: the boundary before it is not followed"],
  ["text behind the closing boundary", `--b\r\n${field}\r\n--b--x\r\n`, malformed, "not the end of its line"],
  ["a part behind the closing boundary", `${formOf(field)}--b\r\n${field}\r\n--b--\r\n`, malformed, "another boundary"],
  ["a second closing boundary", `${formOf(field)}--b--\r\n`, malformed, "another boundary"],
  ["two boundaries in a row", `--b\r\n${formOf(field)}`, malformed, "Part 1 of the form ends in its headers"],
  ["a boundary and the closing one", "--b\r\n--b--\r\n", malformed, "Part 1 of the form ends in its headers"],
  ["a boundary among the headers", formOf(`${disposition}\r\n--b\r\n${field}`), malformed, "Part 1 of the form ends in its headers"],
  [
    "a boundary that looks like a header",
    `--b:c\r\n${disposition}\r\n--b:c\r\n${field}\r\n--b:c--`,
    malformed,
    "ends in its headers",
    { contentType: 'multipart/form-data; boundary="b:c"' },
  ],
];

const heads: readonly MalformedForm[] = [
  ["a part without headers", formOf("\r\nx"), malformed, "has no headers"],
  ["a part without a disposition", formOf("Content-Type: text/plain\r\n\r\nx"), malformed, "has no Content-Disposition"],
  ["a second part without a disposition", formOf(field, "X: y\r\n\r\nx", field), malformed, "Part 2 of the form: It has no"],
  ["an empty disposition", formOf("Content-Disposition:\r\n\r\nx"), malformed, 'not "form-data"'],
  ["an attachment", formOf('Content-Disposition: attachment; name="a"\r\n\r\nx'), malformed, 'not "form-data"'],
  ["a disposition that goes on", formOf('Content-Disposition: form-database; name="a"\r\n\r\nx'), malformed, 'not "form-data"'],
  ["two dispositions", formOf(partOf('name="a"', "x", 'content-disposition: form-data; name="b"')), malformed, "more than once"],
  ["two types", formOf(partOf('name="a"', "x", "Content-Type: text/plain", "Content-Type: text/html")), malformed, "more than once"],
  [
    "two encodings",
    formOf(partOf('name="a"', "x", "Content-Transfer-Encoding: 8bit", "Content-Transfer-Encoding: 8bit")),
    malformed,
    "more than once",
  ],
  ["two names", formOf(partOf('name="a"; name="b"')), malformed, '"name" occurs twice in its Content-Disposition'],
  ["two names in different case", formOf(partOf('name="a"; NAME="a"')), malformed, "twice"],
  ["two file names", formOf(partOf('name="a"; filename="a.png"; filename="a.php"')), malformed, "twice"],
  ["two extended file names", formOf(partOf("name=a; filename*=UTF-8''a; filename*=UTF-8''b")), malformed, "twice"],
  ["a quote that is not closed", formOf(partOf('name="a')), malformed, "cannot be read"],
  ["a quote that is escaped", formOf(partOf('name="a"; filename="a\\"')), malformed, "cannot be read"],
  ["text behind a quote", formOf(partOf('name="a"b')), malformed, "cannot be read"],
  ["a value with a space and no quotes", formOf(partOf("name=a b")), malformed, "cannot be read"],
  ["a value without a name", formOf(partOf('="a"')), malformed, "cannot be read"],
  ["a name without a value", formOf(partOf("name")), malformed, "cannot be read"],
  ["an empty value without quotes", formOf(partOf("name=")), malformed, "cannot be read"],
  ["a space before the equals sign", formOf(partOf('name ="a"')), malformed, "cannot be read"],
  ["a semicolon at the end", formOf(partOf('name="a";')), malformed, "cannot be read"],
  ["a comma between parameters", formOf(partOf('name="a", filename="b"')), malformed, "cannot be read"],
  ["an extended name in an unknown charset", formOf(partOf(`name="a"; filename*=x-none''b`)), malformed, "cannot be read"],
  ["an extended name with a broken escape", formOf(partOf(`name="a"; filename*=UTF-8''%4`)), malformed, "cannot be read"],
  ["an extended name in one quote", formOf(partOf(`name="a"; filename*=UTF-8'b`)), malformed, "cannot be read"],
  ["an extended name in an odd place", formOf(field, partOf(`name="a"; filename*=b`), field), malformed, "Part 2 of the form: its"],
  ["base64", formOf(partOf('name="a"', "eA==", "Content-Transfer-Encoding: base64")), malformed, '"base64" is not supported; allowed: 7bit'],
  ["quoted-printable", formOf(partOf('name="a"; filename="a"', "x", "Content-Transfer-Encoding: Quoted-Printable")), malformed, "not supported"],
  ["an empty encoding", formOf(partOf('name="a"', "x", "Content-Transfer-Encoding:")), malformed, "not supported"],
  ["a folded header", formOf('Content-Disposition: form-data;\r\n name="a"\r\n\r\nx'), malformed, "folded"],
  ["a folded first line", formOf(` X: y\r\n${field}`), malformed, "folded"],
  ["a space before the colon", formOf('Content-Disposition : form-data; name="a"\r\n\r\nx'), malformed, 'not "Name: value"'],
  ["a header without a colon", formOf(partOf('name="a"', "x", "Hello")), malformed, 'not "Name: value"'],
  ["a header without a name", formOf(partOf('name="a"', "x", ": y")), malformed, 'not "Name: value"'],
  ["NUL in a name", formOf(partOf('name="a\0"')), malformed, "control character"],
  ["LF in a header", formOf(partOf('name="a"', "x", "X: y\nContent-Type: text/html")), malformed, "control character"],
  ["CR in a header", formOf(partOf('name="a\rb"')), malformed, "control character"],
  ["a head over 16 KiB", formOf(partOf('name="a"', "x", `X: ${"y".repeat(16_384)}`)), malformed, "larger than 16384 bytes"],
  ["a head over 16 KiB that does not end", `--b\r\n${disposition}${"y".repeat(16_384)}`, malformed, "larger than 16384 bytes"],
  ["no name", formOf(partOf('filename="a.png"')), "MISSING_PART_NAME", "Part 1 of the form has no"],
  ["no parameters", formOf("Content-Disposition: form-data\r\n\r\nx"), "MISSING_PART_NAME", "Part 1 of the form has no"],
  ["an empty name", formOf(field, partOf('name=""')), "MISSING_PART_NAME", "Part 2 of the form has no"],
  ["an empty name of an empty file", formOf(partOf('name=""; filename="a"', "")), "MISSING_PART_NAME", "Part 1 of the form has no"],
  ["an extended name only", formOf(partOf("name*=UTF-8''a")), "MISSING_PART_NAME", "Part 1 of the form has no"],
  ...["shift_jis", "utf-7", "base64", "utf-16be", "x-none", "__proto__"].map(
    (charset): MalformedForm => [
      `a field in ${charset}`,
      formOf(partOf('name="a"', "x", `Content-Type: text/plain; charset="${charset}"`)),
      "UNKNOWN_CHARSET",
      `"${charset}" is not known`,
    ],
  ),
  ["an empty field in an unknown charset", formOf(partOf('name="a"', "", "Content-Type: text/plain; charset=big5")), "UNKNOWN_CHARSET", "big5"],
];

const unsupported = "UNSUPPORTED_MEDIA_TYPE";
const types: readonly MalformedForm[] = [
  ["", unsupported, "must be multipart/form-data"],
  ["application/json", unsupported, 'got "application/json"'],
  ["application/x-www-form-urlencoded", unsupported, "must be multipart/form-data"],
  ["multipart/mixed; boundary=b", unsupported, "must be multipart/form-data"],
  ["multipart/form-data2; boundary=b", unsupported, "must be multipart/form-data"],
  ["multipart/form-data", malformed, '"boundary" parameter'],
  ['multipart/form-data; boundary=""', malformed, "1 to 70"],
  ["multipart/form-data; boundary=", malformed, "1 to 70"],
  [`multipart/form-data; boundary=${"b".repeat(71)}`, malformed, "1 to 70"],
  [`multipart/form-data; boundary=${"b".repeat(5_000)}`, malformed, "1 to 70"],
  ['multipart/form-data; boundary="b "', malformed, "1 to 70"],
  ['multipart/form-data; boundary="b\\"c"', malformed, "1 to 70"],
  ["multipart/form-data; boundary=\u00fc", malformed, "1 to 70"],
  ["multipart/form-data; boundary=b; boundary=c", malformed, "allowed once"],
  ["multipart/form-data; boundary=b; boundary*0=c", malformed, "allowed once"],
  ["multipart/form-data; boundary=b, multipart/form-data; boundary=b", "REPEATED_HEADER", "content-type"],
].map(
  ([contentType = "", code = "", detail = ""]): MalformedForm => [
    `the type ${contentType.slice(0, 99)}`,
    formOf(field),
    code,
    detail,
    { contentType },
  ],
);

const file = partOf('name="f"; filename="f"', "12345");
const limits: readonly MalformedForm[] = [
  ["a form that is too large", formOf(field), "TOTAL_TOO_LARGE", "more than 50 bytes", { requestBytes: 50 }],
  ["an epilogue that is too large", `${formOf(field)}${"x".repeat(100)}`, "TOTAL_TOO_LARGE", "more than 150 bytes", { requestBytes: 150 }],
  ["a file that is too large", formOf(file), "FILE_TOO_LARGE", 'The file "f" has more than 4 bytes', { fileBytes: 4 }],
  ["a file where none may have content", formOf(file), "FILE_TOO_LARGE", "more than 0 bytes", { fileBytes: 0 }],
  ["a field that is too large", formOf(partOf('name="a"', "12345")), "FIELD_TOO_LARGE", "A field has more than 4 bytes", { fieldBytes: 4 }],
  [
    "fields that are too large",
    formOf(field, field, field),
    "FIELD_TOO_LARGE",
    "All fields of the form together have more than 2 bytes",
    { allFieldsBytes: 2 },
  ],
  ["a name that is too long", formOf(partOf(`name="${"ü".repeat(101)}"`)), "FIELD_TOO_LARGE", "name of a part has more than 200 bytes"],
  ["a name of a file that is too long", formOf(partOf('name="abc"; filename="f"')), "FIELD_TOO_LARGE", "more than 2 bytes", { nameBytes: 2 }],
  ["too many files", formOf(file, field, file), "TOO_MANY_FILES", "too many files; at most 1", { files: 1 }],
  ["a file where there may be none", formOf(file), "TOO_MANY_FILES", "too many files; at most 0", { files: 0 }],
  ["too many fields", formOf(field, file, field), "TOO_MANY_FIELDS", "too many fields; at most 1", { fields: 1 }],
  ["too many parts", formOf(field, file, field), "TOO_MANY_PARTS", "too many parts; at most 2", { parts: 2 }],
  ["more files than by default", formOf(...Array.from({ length: 21 }, () => file)), "TOO_MANY_FILES", "too many files; at most 20"],
  ["more fields than by default", formOf(...Array.from({ length: 101 }, () => field)), "TOO_MANY_FIELDS", "too many fields; at most 100"],
];

/** Forms that are refused, each for one reason. */
export const malformedForms: readonly MalformedForm[] = [...frames, ...heads, ...types, ...limits];

/** Its headers are damaged in no way, for comparison. */
export const soundForm = formOf(crlf(disposition, "", "1"));
