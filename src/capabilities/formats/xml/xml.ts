import type { AnsweredList, DescribedRows } from "../../../engine/operation/answers/answerFormat.js";
import { payloadTooLarge } from "../../../ground/http/body/body.js";
import { encodePieces } from "../../../ground/http/json/writeJson.js";
import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { named, optionsCheck, passing, strict, whole } from "../../../ground/options/index.js";
import { ProblemError } from "../../../ground/problem/index.js";
import type { FieldModel } from "../../../language/schema/field.js";
import { singular } from "../../../language/schema/singular.js";
import { checkBody, decodeUtf8, malformedBody } from "../checkBody.js";
import type { Format, SentBody } from "../format.js";
import { namePattern, type XmlModel } from "./model.js";
import { loadXmlParser, parseXml } from "./parseXml.js";
import { documentOf, startOf, writeElement, writeItems, writeMembers } from "./writeXml.js";
import { xmlValue } from "./xmlValue.js";

/** Options of {@link xml}. */
export interface XmlOptions {
  /** Names of root elements by collection, where the singular of its name is another: `{ people: "person" }`. */
  readonly roots?: Readonly<Record<string, string>> | undefined;
  /** Largest body in bytes → 413 (262,144). Parsing holds the event loop. */
  readonly maxBytes?: number | undefined;
  /** Elements, comments and CDATA sections of one body → 400 (2,000). */
  readonly maxElements?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("xml", () =>
  strict<XmlOptions>({
    roots: named(
      passing("a name of XML without a prefix", (value) => typeof value === "string" && new RegExp(`^(?!xml)${namePattern}$`, "i").test(value)),
      "an object with names by collections",
    ),
    maxBytes: whole(1),
    maxElements: whole(1),
  }),
);

/**
 * `application/xml` for the collections whose `accepts` names `xml`: bodies that create or replace a row, and answers to requests whose `Accept` names XML. A member
 * is an element, an array has elements `item`, null is `xsi:nil`.
 *
 * @throws {ConfigurationError} for an unknown option or an invalid value
 * @see https://www.w3.org/TR/xml/
 * @example
 * formats({ use: [xml({ roots: { people: "person" } })] });
 */
export function xml(options: XmlOptions = {}): Format {
  check(options);
  const { roots = {}, maxBytes = 262_144, maxElements = 2_000 } = options;
  const rootOf = ({ name }: DescribedRows) => (Object.hasOwn(roots, name) ? roots[name] : undefined) ?? singular(name);
  return {
    name: "xml",
    types: ["application/xml", "text/xml"],
    parameters: "; charset=utf-8",
    isChosen: true,
    async start() {
      await loadXmlParser();
    },
    writeRow: (rows, _, value) =>
      documentOf(
        rootOf(rows),
        writeMembers(value, (name) => rows.fields.get(name)),
      ),
    writeList,
    async read(body, _, rows, limits) {
      const root = await parseXml(textOf(body, maxBytes), { maxElements, maxDepth: limits.jsonDepth });
      requireRoot(root.name, rootOf(rows));
      await yieldToEventLoop();
      return checkBody(xmlValue(root, rows), "MALFORMED_XML", limits);
    },
  };
}

/** @throws {ProblemError} PAYLOAD_TOO_LARGE; INTERNAL if the host has parsed the body to something other than text */
function textOf(body: SentBody, maxBytes: number): string {
  if ("parsed" in body) {
    if (typeof body.parsed === "string" && Buffer.byteLength(body.parsed) <= maxBytes) return body.parsed;
    if (typeof body.parsed === "string") throw payloadTooLarge(maxBytes);
    throw new ProblemError("INTERNAL", "A body parser of this server has parsed the XML before restwright. Mount restwright before body parsers.");
  }
  if (body.bytes.length > maxBytes) throw payloadTooLarge(maxBytes);
  const [first, second] = body.bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw new ProblemError("UNSUPPORTED_MEDIA_TYPE", "The document is encoded in UTF-16; send UTF-8.");
  }
  return decodeUtf8(body.bytes, "MALFORMED_XML");
}

function requireRoot(name: string, expected: string): void {
  if (name !== expected) throw malformedBody("MALFORMED_XML", `The root element must be <${expected}>; got <${name.slice(0, 64)}>.`);
}

/** What a list has besides its rows, so that it needs no attributes for types. */
const meta: ReadonlyMap<string, XmlModel["kind"]> = new Map([
  ["page", "int"],
  ["perPage", "int"],
  ["total", "int"],
  ["pages", "int"],
]);

function writeList(list: AnsweredList): Promise<Uint8Array> {
  return encodePieces(piecesOf(list));
}

function* piecesOf({ of, rows, json }: AnsweredList): Generator<string, void, void> {
  const item = { kind: "object", children: of.fields } as FieldModel;
  yield startOf("list");
  for (const [name, value] of Array.isArray(json) ? [["", rows] as const] : Object.entries(json)) {
    if (name !== "" && name !== "data") {
      yield writeElement(name, value, listPart);
      continue;
    }
    if (name !== "") yield `<${name}>`;
    for (const row of rows) yield writeItems([row], item);
    if (name !== "") yield `</${name}>`;
  }
  yield "</list>";
}

const listPart: XmlModel = {
  kind: "object",
  children: new Map([...meta].map(([name, kind]) => [name, { name, kind } as FieldModel])),
};
