import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { bytesPerYield } from "../bytesPerYield.js";
import { unscannable } from "../rejection.js";
import type { InflateBudget } from "../zip/inflateBudget.js";
import { firstBytesOf, inflateEntry } from "../zip/inflateEntry.js";
import { readZip } from "../zip/readZip.js";
import type { ZipEntry } from "../zip/zipEntry.js";
import { scanCompoundFile } from "./scanCompoundFile.js";
import { findMacrosByName, findMacrosInOpenXml, isIndex } from "./scanOpenXml.js";
import { xmlText } from "./xmlText.js";

const maxDepth = 3;
const entriesATurn = 64;
/** The call of a macro is shorter than this. */
const overlapBytes = 65_536;

export interface PackageScan {
  readonly budget: InflateBudget;
  readonly signal: AbortSignal;
  /** Nesting depth of archives; 1 for the file itself. */
  readonly depth: number;
}

/**
 * The active content of a document that is a ZIP, or of a document inside it; `undefined` if there is none.
 *
 * @throws {ProblemError} UNSCANNABLE
 */
export async function scanPackage(bytes: Uint8Array, scan: PackageScan): Promise<string | undefined> {
  if (scan.depth > maxDepth) throw unscannable(`The file has archives in archives, more than ${maxDepth} deep.`);
  const entries = readZip(bytes, scan.budget);
  const isDocument = entries.some(({ name }) => isIndexName(name));
  for (const [index, entry] of entries.entries()) {
    const what = (isDocument ? findMacrosByName(entry) : undefined) ?? (await scanEntry(entry, isDocument, scan));
    if (what !== undefined) return what;
    if (index % entriesATurn === 0) await yieldToEventLoop(scan.signal);
  }
  return undefined;
}

/** Both kinds of documents contain a list of their parts. */
function isIndexName(name: string): boolean {
  return /(?:^|\/)(?:\[content_types\]\.xml|meta-inf\/manifest\.xml|_rels\/\.rels)$|^mimetype$/i.test(name);
}

async function scanEntry(entry: ZipEntry, isDocument: boolean, scan: PackageScan): Promise<string | undefined> {
  const { budget, signal, depth } = scan;
  const magic = Buffer.from(await firstBytesOf(entry, budget)).toString("latin1", 0, 8);
  if (magic.startsWith("\xd0\xcf\x11\xe0")) {
    return isDocument ? "an embedded OLE object" : scanCompoundFile(await inflateEntry(entry, budget), { mustBeDocument: false });
  }
  if (magic.startsWith("PK\x03\x04")) return scanPackage(await inflateEntry(entry, budget), { ...scan, depth: depth + 1 });
  if (!isDocument) return undefined;
  if (isIndex(entry)) return findMacrosInOpenXml(entry, xmlText(await inflateEntry(entry, budget)));
  return isOpenDocumentPart(entry) ? scanText(await inflateEntry(entry, budget), signal) : undefined;
}

const beginning = Buffer.from("<");

/** The text of a document can be long. */
async function scanText(bytes: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  if (bytes.length <= bytesPerYield) return findMacrosInOpenDocument(xmlText(bytes));
  // UTF-16 must not be cut inside a character.
  if ((bytes[0] ?? 0) >= 0xfe) throw unscannable("The document has too much text in UTF-16 to be scanned.");
  for (let start = 0; start < bytes.length; start += bytesPerYield) {
    const slice = bytes.subarray(Math.max(0, start - overlapBytes), start + bytesPerYield);
    const what = findMacrosInOpenDocument(xmlText(start === 0 ? slice : Buffer.concat([beginning, slice])));
    if (what !== undefined) return what;
    await yieldToEventLoop(signal);
  }
  return undefined;
}

const parts = /(?:^|\/)(?:content|styles|settings|meta-inf\/manifest)\.xml$/;
const encryption = /[:<]encryption-data[\s>/]/;
/** Addresses of macros, and elements that call them. */
const calls = /vnd\.sun\.star\.(?:script|expand|pkg)|macro:\/\/|[:<]execute-macro[\s>/]|<script:event-listener[\s>/]/;

/** Whether a part of an OpenDocument file may call macros, or say that the file is encrypted. */
function isOpenDocumentPart({ name }: ZipEntry): boolean {
  return parts.test(name.toLowerCase());
}

/**
 * The active content of a document, by one of its parts. Its own macros are found by the names of their entries.
 *
 * @throws {ProblemError} UNSCANNABLE if it is encrypted
 */
function findMacrosInOpenDocument(text: string): string | undefined {
  if (encryption.test(text)) throw unscannable("The document is encrypted.");
  return calls.test(text) ? "calls of macros" : undefined;
}
