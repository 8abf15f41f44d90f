import { integer, pick, type Random } from "./random.js";

const crlf = "\r\n";
const seeds: readonly [string, ...string[]] = [
  [
    "--b",
    'Content-Disposition: form-data; name="a"',
    "",
    "1",
    "--b",
    'Content-Disposition: form-data; name="f"; filename="x.png"',
    "Content-Type: image/png",
    "",
    "\u0089PNG\r\n\u001a",
    "--b--",
    "",
  ].join(crlf),
  [
    "preamble",
    "--b",
    'content-disposition: form-data; name="a"',
    "Content-Type: text/plain; charset=utf-16le",
    "",
    "a\0b\0",
    "--b--",
    "epilogue",
  ].join(crlf),
  [
    "--b",
    "Content-Disposition: form-data; name=f; filename*=UTF-8''%c3%bc.txt",
    "Content-Transfer-Encoding: binary",
    "",
    "x".repeat(200),
    "--b",
    'Content-Disposition: form-data; name="g"; filename="..\\..\\g"',
    "",
    "",
    "--b--",
  ].join(crlf),
  [
    "--b",
    'Content-Disposition: form-data; name="__proto__"',
    "",
    "",
    "--b",
    'Content-Disposition: form-data; name="m"',
    "Content-Type: multipart/mixed; boundary=c",
    "",
    "--c\r\n\r\nx\r\n--c--",
    "--b--",
    "",
  ].join(crlf),
];
const pieces: readonly [string, ...string[]] = [
  ...[
    "\r\n",
    "\r",
    "\n",
    "\r\n\r\n",
    "\r\n--b",
    "\r\n--b\r\n",
    "\r\n--b--",
    "\r\n--b--\r\n",
    "--b",
    "--",
    "-",
    "b",
    ":",
    ";",
    "=",
    '"',
    "\\",
    " ",
    "\t",
    "\0",
    "\u00ff",
    "*",
    "%",
    "'",
  ],
  ...[
    "Content-Disposition: form-data",
    'name="n"',
    "; name=",
    '; filename=""',
    "; filename*=",
    "UTF-8''%ff",
    "Content-Type: ",
    "; charset=shift_jis",
    "Content-Transfer-Encoding: base64",
    "X: y\r\n",
  ],
] as unknown as [string, ...string[]];

/** A form whose boundary is `b`, and that was a sensible one before some accidents; a character a byte. */
export function randomForm(random: Random): string {
  let text = pick(random, seeds);
  for (let accidents = integer(random, 5); accidents > 0; accidents--) text = damage(text, random);
  return text;
}

function damage(text: string, random: Random): string {
  const at = integer(random, text.length + 1);
  const to = Math.min(text.length, at + integer(random, 20));
  switch (integer(random, 7)) {
    case 0:
      return text.slice(0, at) + text.slice(to);
    case 1:
      return text.slice(0, to) + text.slice(at);
    case 2:
      return text.slice(0, at) + String.fromCharCode(integer(random, 256)) + text.slice(at + 1);
    case 3:
      return text.slice(0, at);
    case 4:
      return text.slice(0, at) + pick(random, seeds).slice(integer(random, 60));
    case 5:
      return text.slice(0, at) + pick(random, pieces).repeat(1 + integer(random, integer(random, 40) === 0 ? 3_000 : 3)) + text.slice(at);
    default:
      return text.slice(0, at) + pick(random, pieces) + text.slice(to);
  }
}
