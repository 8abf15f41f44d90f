import { unscannable } from "../rejection.js";
import { CompoundFile } from "./compoundFile.js";
import { judgePresentation } from "./scanPresentation.js";
import { judgeWordDocument } from "./scanWordDocument.js";
import { judgeWorkbook } from "./scanWorkbook.js";

const macroNames: ReadonlySet<string> = new Set(["vba", "macros", "_vba_project", "_vba_project_cur"]);
const encryptionNames: ReadonlySet<string> = new Set(["encryptedpackage", "encryptioninfo", "encryptedsummary"]);
/** What embedded objects are kept under: by Excel, by Word, and by what is made of any file. */
const embedded = /^(?:mbd[0-9a-f]{8}|_\d{6,10}|ole10native|ocx(?:name|data))$/;

/** Streams that hold a document. */
const documents = [
  ["WordDocument", judgeWordDocument],
  ["Workbook", judgeWorkbook],
  ["Book", judgeWorkbook],
  ["PowerPoint Document", judgePresentation],
] as const;

/**
 * What runs in a document of the older kind: `undefined` where nothing does.
 *
 * @throws {ProblemError} UNSCANNABLE where it is damaged, encrypted, or has no document in it
 */
export function scanCompoundFile(bytes: Uint8Array, { mustBeDocument }: { readonly mustBeDocument: boolean }): string | undefined {
  const file = new CompoundFile(bytes);
  // Some names begin with a control, which says whose they are.
  const names = file.entries.map(({ name }) => name.replace(/^\p{Cc}/u, "").toLowerCase());
  if (names.some((name) => encryptionNames.has(name))) throw unscannable("The document is encrypted.");
  if (names.some((name) => macroNames.has(name))) return "a VBA project";
  if (names.some((name) => embedded.test(name))) return "an embedded OLE object";
  let isDocument = false;
  for (const [name, judge] of documents) {
    const stream = file.find(name);
    if (stream === undefined) continue;
    isDocument = true;
    const what = judge(file.read(stream));
    if (what !== undefined) return what;
  }
  if (mustBeDocument && !isDocument) throw unscannable("The file has no document of Word, Excel or PowerPoint in it.");
  return undefined;
}
