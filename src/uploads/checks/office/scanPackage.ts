import { unscannable } from "../rejection.js";
import { bytesATurn, giveWay } from "../turn.js";
import type { InflateBudget } from "../zip/inflateBudget.js";
import { beginningOf, inflateEntry } from "../zip/inflateEntry.js";
import { readZip } from "../zip/readZip.js";
import type { ZipEntry } from "../zip/zipEntry.js";
import { scanCompoundFile } from "./scanCompoundFile.js";
import { isOpenDocumentPart, judgeOpenDocument } from "./scanOpenDocument.js";
import { isIndex, judgeName, judgeOpenXml } from "./scanOpenXml.js";
import { xmlText } from "./xmlText.js";

const deepest = 3;
const entriesATurn = 64;
/** A call of a macro is shorter. */
const overlapBytes = 65_536;

export interface PackageScan {
  readonly budget: InflateBudget;
  readonly signal: AbortSignal;
  /** Of archives in archives; 1 for the file itself. */
  readonly depth: number;
}

/**
 * What runs in a document that is a ZIP, or in a document within it: `undefined` where nothing does.
 *
 * @throws {ProblemError} UNSCANNABLE
 */
export async function scanPackage(bytes: Uint8Array, scan: PackageScan): Promise<string | undefined> {
  if (scan.depth > deepest) throw unscannable(`The file has archives in archives, more than ${deepest} deep.`);
  const entries = readZip(bytes, scan.budget);
  const isDocument = entries.some(({ name }) => isIndexName(name));
  for (const [index, entry] of entries.entries()) {
    const what = (isDocument ? judgeName(entry) : undefined) ?? (await scanEntry(entry, isDocument, scan));
    if (what !== undefined) return what;
    if (index % entriesATurn === 0) await giveWay(scan.signal);
  }
  return undefined;
}

/** Both kinds of documents have a list of their parts. */
function isIndexName(name: string): boolean {
  return /(?:^|\/)(?:\[content_types\]\.xml|meta-inf\/manifest\.xml|_rels\/\.rels)$|^mimetype$/i.test(name);
}

async function scanEntry(entry: ZipEntry, isDocument: boolean, scan: PackageScan): Promise<string | undefined> {
  const { budget, signal, depth } = scan;
  const magic = Buffer.from(await beginningOf(entry, budget)).toString("latin1", 0, 8);
  if (magic.startsWith("\xd0\xcf\x11\xe0")) {
    return isDocument ? "an embedded OLE object" : scanCompoundFile(await inflateEntry(entry, budget), { mustBeDocument: false });
  }
  if (magic.startsWith("PK\x03\x04")) return scanPackage(await inflateEntry(entry, budget), { ...scan, depth: depth + 1 });
  if (!isDocument) return undefined;
  if (isIndex(entry)) return judgeOpenXml(entry, xmlText(await inflateEntry(entry, budget)));
  return isOpenDocumentPart(entry) ? scanText(await inflateEntry(entry, budget), signal) : undefined;
}

const beginning = Buffer.from("<");

/** The text of a document can be long. */
async function scanText(bytes: Uint8Array, signal: AbortSignal): Promise<string | undefined> {
  if (bytes.length <= bytesATurn) return judgeOpenDocument(xmlText(bytes));
  // What begins as UTF-16 cannot be cut anywhere.
  if ((bytes[0] ?? 0) >= 0xfe) throw unscannable("The document has much text in UTF-16.");
  for (let start = 0; start < bytes.length; start += bytesATurn) {
    const slice = bytes.subarray(Math.max(0, start - overlapBytes), start + bytesATurn);
    const what = judgeOpenDocument(xmlText(start === 0 ? slice : Buffer.concat([beginning, slice])));
    if (what !== undefined) return what;
    await giveWay(signal);
  }
  return undefined;
}
