import { ByteView } from "../byteView.js";
import { unscannable } from "../rejection.js";
import { CompoundFile } from "./compoundFile.js";
import { findMacrosInPresentation } from "./scanPresentation.js";

const macroNames: ReadonlySet<string> = new Set(["vba", "macros", "_vba_project", "_vba_project_cur"]);
const encryptionNames: ReadonlySet<string> = new Set(["encryptedpackage", "encryptioninfo", "encryptedsummary"]);
/** Storages of embedded objects in Excel, in Word, and of packaged files. */
const embedded = /^(?:mbd[0-9a-f]{8}|_\d{6,10}|ole10native|ocx(?:name|data))$/;

/** Streams that contain a document. */
const documents = [
  ["WordDocument", assertReadableWordDocument],
  ["Workbook", findMacrosInWorkbook],
  ["Book", findMacrosInWorkbook],
  ["PowerPoint Document", findMacrosInPresentation],
] as const;

/**
 * The active content of an old binary document; `undefined` if there is none.
 *
 * @throws {ProblemError} UNSCANNABLE if it is damaged, encrypted, or contains no document
 */
export function scanCompoundFile(bytes: Uint8Array, { mustBeDocument }: { readonly mustBeDocument: boolean }): string | undefined {
  const file = new CompoundFile(bytes);
  // Some names begin with a control character that marks their owner.
  const names = file.entries.map(({ name }) => name.replace(/^\p{Cc}/u, "").toLowerCase());
  if (names.some((name) => encryptionNames.has(name))) throw unscannable("The document is encrypted.");
  if (names.some((name) => macroNames.has(name))) return "a VBA project";
  if (names.some((name) => embedded.test(name))) return "an embedded OLE object";
  let isDocument = false;
  for (const [name, scan] of documents) {
    const stream = file.find(name);
    if (stream === undefined) continue;
    isDocument = true;
    const what = scan(file.read(stream));
    if (what !== undefined) return what;
  }
  if (mustBeDocument && !isDocument) throw unscannable("The file contains no Word, Excel or PowerPoint document.");
  return undefined;
}

const word97 = 0xa5ec;
const isEncrypted = 0x0100;
const isObfuscated = 0x8000;

/** Word stores macros in separate streams; before 1997 it stored them in this one. @throws {ProblemError} UNSCANNABLE @see MS-DOC §2.5.2 */
function assertReadableWordDocument(stream: Buffer): undefined {
  const view = new ByteView(stream);
  if (view.uint16Little(0) !== word97) throw unscannable("The document has the format of a Word version before 1997, which cannot be scanned.");
  if ((view.uint16Little(10) & (isEncrypted | isObfuscated)) !== 0) throw unscannable("The document is encrypted.");
}

const beginOfPart = 0x0809;
const endOfPart = 0x000a;
const filePassword = 0x002f;
const sheet = 0x0085;
const macroSheet = 1;
const module = 6;
/** Far fewer records precede the first sheet. */
const maxRecords = 1_000_000;

/** Macro sheets of Excel 4.0 are stored among the other sheets. @throws {ProblemError} UNSCANNABLE @see MS-XLS §2.4.28 */
function findMacrosInWorkbook(stream: Buffer): string | undefined {
  const view = new ByteView(stream);
  if (view.uint16Little(0) !== beginOfPart)
    throw unscannable("The workbook is damaged, or has the format of an Excel version before 5, which cannot be scanned.");
  let records = 0;
  for (let at = 0; at < view.length && records < maxRecords; at += 4 + view.uint16Little(at + 2)) {
    records += 1;
    const type = view.uint16Little(at);
    if (type === filePassword) throw unscannable("The workbook is encrypted.");
    const kind = view.uint8(at + 9);
    if (type === sheet && (kind === macroSheet || kind === module)) return "an Excel 4.0 macro sheet, or a module";
    if (type === endOfPart) return undefined;
  }
  throw unscannable("The workbook is damaged.");
}
