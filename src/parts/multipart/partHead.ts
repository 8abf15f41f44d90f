import { hasControl, parsePartFields } from "../../ground/http/body/partFields.js";
import { parseMediaType } from "../../ground/http/headers/mediaType.js";
import { ProblemError } from "../../ground/problem/index.js";
import { malformed } from "./malformed.js";

/** The parsed headers of a part. */
export interface PartHead {
  /** Content-Disposition as sent, decoded as latin1. */
  readonly disposition: string;
  /** Whether the part has a file name, even an empty one, or the type `application/octet-stream`. */
  readonly isFile: boolean;
  /** `type/subtype` in lower case. */
  readonly contentType: string | undefined;
  /** In lower case; for a field, the supported charset. */
  readonly charset: string | undefined;
}

const identities: ReadonlySet<string> = new Set(["7bit", "8bit", "binary"]);
/** A parameter with a token or a quoted value. Sticky, so that the whole header must consist of parameters. */
const parameter = /[ \t]*;[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"(?:[^"\\]|\\.)*"|[!#$%&'*+.^_`|~0-9A-Za-z-]+)/y;
const formData = /^form-data(?=[ \t;]|$)/i;

/**
 * Parses the headers of a part of a form.
 *
 * Repeated headers and parameters are rejected, because parsers differ in which one they use.
 *
 * @param bytes header lines, the last without a line break
 * @param place for messages, e.g. `Part 1 of the form`
 * @throws {ProblemError} MALFORMED_MULTIPART, UNKNOWN_CHARSET
 * @see RFC 7578 §4
 */
export function parsePartHead(bytes: Buffer, place: string): PartHead {
  const refuse = (detail: string) => malformed(`${place}: ${detail}`);
  const fields = parsePartFields(readLines(bytes, refuse), refuse);
  const encoding = fields.get("content-transfer-encoding");
  if (encoding !== undefined && !identities.has(encoding.toLowerCase())) {
    throw refuse(`The Content-Transfer-Encoding "${encoding.slice(0, 64)}" is not supported; allowed: ${[...identities].join(", ")}.`);
  }
  const disposition = fields.get("content-disposition");
  if (disposition === undefined) throw refuse("It has no Content-Disposition.");
  const parameters = parameterNames(disposition, refuse);
  const media = parseMediaType(fields.get("content-type") ?? "");
  const isFile = parameters.has("filename") || parameters.has("filename*") || media?.type === "application/octet-stream";
  const declared = media?.parameters["charset"]?.toLowerCase();
  const charset = isFile || declared === undefined ? declared : fieldCharset(declared);
  if (charset === undefined && declared !== undefined) {
    throw new ProblemError("UNKNOWN_CHARSET", `${place}: The charset "${declared.slice(0, 64)}" is not known; send UTF-8.`);
  }
  return { disposition, isFile, contentType: media?.type, charset };
}

function readLines(bytes: Buffer, refuse: (detail: string) => ProblemError): readonly string[] {
  if (bytes.length === 0) throw refuse("It has no headers.");
  const lines = bytes.toString("latin1").split("\r\n");
  if (lines.some(hasControl)) throw refuse("A header line contains a control character; lines end in CRLF.");
  return lines;
}

function parameterNames(disposition: string, refuse: (detail: string) => ProblemError): ReadonlySet<string> {
  const type = formData.exec(disposition)?.[0];
  if (type === undefined) throw refuse('Its Content-Disposition is not "form-data".');
  const names = new Set<string>();
  let at = type.length;
  while (at < disposition.length) {
    parameter.lastIndex = at;
    const [whole, name] = parameter.exec(disposition) ?? [];
    if (whole === undefined || name === undefined) throw unreadable(refuse);
    if (names.has(name.toLowerCase())) throw refuse(`The parameter "${name.slice(0, 64)}" occurs twice in its Content-Disposition.`);
    names.add(name.toLowerCase());
    at += whole.length;
  }
  return names;
}

/** The problem for a Content-Disposition with invalid syntax. */
function unreadable(refuse: (detail: string) => ProblemError): ProblemError {
  return refuse('Its Content-Disposition cannot be read; it must be like: form-data; name="photo"; filename="me.png".');
}

const latin1 = [
  "latin1",
  "ascii",
  "us-ascii",
  "iso-8859-1",
  "iso8859-1",
  "iso88591",
  "iso_8859-1",
  "iso_8859-1:1987",
  "windows-1252",
  "cp1252",
  "x-cp1252",
];
const known: ReadonlyMap<string, string> = new Map([
  ...["utf-8", "utf8"].map((name) => [name, "utf-8"] as const),
  ...latin1.map((name) => [name, "latin1"] as const),
  ...["utf-16le", "utf16le", "ucs-2", "ucs2"].map((name) => [name, "utf-16le"] as const),
]);

/**
 * The decoder for the charset of a field: `utf-8`, `latin1` or `utf-16le`; `undefined` for an unknown charset.
 *
 * @param declared in lower case, as in a Content-Type
 */
function fieldCharset(declared: string): string | undefined {
  return known.get(declared);
}
