import { parseMediaType } from "../../http/mediaType.js";
import { hasControl, parsePartFields } from "../../http/partFields.js";
import { ProblemError } from "../../problem/index.js";
import { fieldCharset } from "./fieldCharset.js";
import { malformed } from "./malformed.js";

/** What the headers of a part say. */
export interface PartHead {
  /** Content-Disposition as sent; its bytes as characters. */
  readonly disposition: string;
  /** It has a file name, be it an empty one, or is declared to be `application/octet-stream`. */
  readonly isFile: boolean;
  /** `type/subtype` in lower case. */
  readonly contentType: string | undefined;
  /** In lower case; of a field only one that can be read. */
  readonly charset: string | undefined;
}

const identities: ReadonlySet<string> = new Set(["7bit", "8bit", "binary"]);
/** A parameter, its value a token or in quotes. Sticky: the whole must be made of such. */
const parameter = /[ \t]*;[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"(?:[^"\\]|\\.)*"|[!#$%&'*+.^_`|~0-9A-Za-z-]+)/y;
const formData = /^form-data(?=[ \t;]|$)/i;

/**
 * Parses the headers of a part of a form.
 *
 * A header or a parameter that stands twice is refused: which of them counts is another one for other parsers.
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
    if (names.has(name.toLowerCase())) throw refuse(`The parameter "${name.slice(0, 64)}" of its Content-Disposition stands there twice.`);
    names.add(name.toLowerCase());
    at += whole.length;
  }
  return names;
}

/** What is said of a Content-Disposition that is not of the grammar. */
function unreadable(refuse: (detail: string) => ProblemError): ProblemError {
  return refuse('Its Content-Disposition cannot be read; it must be like: form-data; name="photo"; filename="me.png".');
}
