import { promisify } from "node:util";
import { inflate as inflateCallback } from "node:zlib";
import { unscannable } from "../rejection.js";
import type { InflateBudget } from "../zip/inflateBudget.js";
import type { PdfToken } from "./pdfLexer.js";

const inflate = promisify<Uint8Array, { readonly maxOutputLength: number }, Buffer>(inflateCallback as never);

/** Objects are rarely encoded as text, and never this many. */
const maxTextBytes = 1_048_576;

/**
 * The bytes of a stream without its filters.
 *
 * @param tokens of its dictionary
 * @throws {ProblemError} UNSCANNABLE, also for filters that are not used for objects
 * @see ISO 32000-2 §7.4
 */
export async function decodeStream(tokens: readonly PdfToken[], data: Buffer, budget: InflateBudget): Promise<Buffer> {
  if (tokens.some(({ kind, text }, index) => kind === "name" && text === "Predictor" && tokens[index + 1]?.text !== "1")) throw undecodable();
  let decoded = data;
  for (const filter of filtersOf(tokens)) decoded = await decode(filter, decoded, budget);
  return decoded;
}

function filtersOf(tokens: readonly PdfToken[]): string[] {
  const places = [...tokens.keys()].filter((index) => tokens[index]?.kind === "name" && tokens[index]?.text === "Filter");
  if (places.length === 0) return [];
  const at = (places[0] ?? 0) + 1;
  const isList = tokens[at]?.kind === "openArray";
  const end = isList ? tokens.findIndex(({ kind }, index) => index > at && kind === "closeArray") : at + 1;
  const filters = tokens.slice(isList ? at + 1 : at, end);
  if (places.length > 1 || end === -1 || filters.length > 4 || filters.some(({ kind }) => kind !== "name")) throw undecodable();
  return filters.map(({ text }) => text);
}

async function decode(filter: string, data: Buffer, budget: InflateBudget): Promise<Buffer> {
  switch (filter) {
    case "FlateDecode":
      return inflated(data, budget);
    case "ASCIIHexDecode":
      if (data.length > maxTextBytes) throw undecodable();
      return taken(
        Buffer.from(
          data
            .toString("latin1")
            .replace(/>[\s\S]*$/, "")
            .replace(/[^0-9a-f]/gi, ""),
          "hex",
        ),
        budget,
      );
    case "ASCII85Decode":
      if (data.length > maxTextBytes) throw undecodable();
      return taken(decodeAscii85(data.toString("latin1")), budget);
    default:
      throw undecodable();
  }
}

async function inflated(data: Buffer, budget: InflateBudget): Promise<Buffer> {
  const maxOutputLength = Math.max(1, budget.remainingBytes + 1);
  const decoded = await inflate(data, { maxOutputLength }).catch((error: unknown) => {
    if (error instanceof RangeError) budget.takeBytes(maxOutputLength);
    throw undecodable();
  });
  budget.checkRatio(data.length, decoded.length);
  return taken(decoded, budget);
}

function taken(decoded: Buffer, budget: InflateBudget): Buffer {
  budget.takeBytes(decoded.length);
  return decoded;
}

/** Five characters encode four bytes; `z` encodes four zeros. @see ISO 32000-2 §7.4.3 */
function decodeAscii85(text: string): Buffer {
  const characters = text
    .replace(/~>?[\s\S]*$/, "")
    .replace(/\s|\p{Cc}/gu, "")
    .replaceAll("z", "!!!!!");
  const bytes = Buffer.alloc(Math.ceil(characters.length / 5) * 4);
  let length = 0;
  for (let at = 0; at < characters.length; at += 5) {
    const group = characters.slice(at, at + 5);
    const number = [...group.padEnd(5, "u")].reduce((sum, character) => sum * 85 + character.charCodeAt(0) - 33, 0);
    if (!(number >= 0 && number <= 0xffffffff)) throw undecodable();
    bytes.writeUInt32BE(number, length);
    length += group.length === 5 ? 4 : group.length - 1;
  }
  return bytes.subarray(0, length);
}

function undecodable() {
  return unscannable("The PDF has an object stream that cannot be read.");
}
