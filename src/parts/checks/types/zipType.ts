import { openDocument, openXml } from "./officeNames.js";

/** Types that are named in a first, uncompressed entry. */
const declared: ReadonlySet<string> = new Set([
  `${openDocument}.text`,
  `${openDocument}.spreadsheet`,
  `${openDocument}.presentation`,
  "application/epub+zip",
]);

/** The folder of an Office document's parts, and its type without and with macros. */
const parts: readonly (readonly [folder: string, plain: string, macros: string])[] = [
  ["word/", `${openXml}.wordprocessingml.document`, "application/vnd.ms-word.document.macroenabled.12"],
  ["xl/", `${openXml}.spreadsheetml.sheet`, "application/vnd.ms-excel.sheet.macroenabled.12"],
  ["ppt/", `${openXml}.presentationml.presentation`, "application/vnd.ms-powerpoint.presentation.macroenabled.12"],
];

/** Extensions of documents that may have macros. They are trusted, because they claim the more dangerous type. */
const withMacros = /^(?:doc|dot|xls|xlt|xla|ppt|pot|pps|ppa)m$/;

const headerBytes = 30;
const sizesFollow = 0x0008;

/** The type of a ZIP by the names of the entries in its head. */
export function detectZip(head: Buffer, extension: string): string {
  const names = entryNames(head);
  const type = mimetypeEntry(head);
  if (type !== undefined && declared.has(type)) return type;
  if (names.some((name) => name === "[Content_Types].xml" || name === "_rels/.rels" || name.startsWith("docProps/"))) {
    // Documents of this kind begin with an entry that names their type.
    const own = names.find((name) => parts.some(([folder]) => name.startsWith(folder)));
    const [, plain, macros] = parts.find(([folder]) => own?.startsWith(folder)) ?? [];
    const hasMacros = withMacros.test(extension) || names.some((name) => name.toLowerCase().endsWith("vbaproject.bin"));
    if (plain !== undefined && macros !== undefined) return hasMacros ? macros : plain;
  }
  if (names.includes("AndroidManifest.xml")) return "application/vnd.android.package-archive";
  if (names.includes("META-INF/MANIFEST.MF")) return "application/java-archive";
  return "application/zip";
}

/** Names of entries in order. The sizes of streamed entries follow their data, so the next header is searched for. */
function entryNames(head: Buffer): string[] {
  const names: string[] = [];
  let at = 0;
  while (at !== -1 && at + headerBytes <= head.length) {
    const nameEnd = at + headerBytes + head.readUInt16LE(at + 26);
    names.push(head.toString("utf8", at + headerBytes, Math.min(nameEnd, head.length)));
    const dataStart = nameEnd + head.readUInt16LE(at + 28);
    const isSizeKnown = (head.readUInt16LE(at + 6) & sizesFollow) === 0;
    at = head.indexOf("PK\x03\x04", isSizeKnown ? dataStart + head.readUInt32LE(at + 18) : dataStart, "latin1");
  }
  return names;
}

function mimetypeEntry(head: Buffer): string | undefined {
  if (
    head.length < headerBytes + 8 ||
    head.readUInt16LE(8) !== 0 ||
    head.toString("latin1", headerBytes, headerBytes + 8) !== "mimetype" ||
    head.readUInt16LE(26) !== 8
  )
    return undefined;
  const start = 38 + head.readUInt16LE(28);
  // Line ends do not belong to it, although some programs write one.
  return head.toString("latin1", start, Math.min(start + head.readUInt32LE(22), start + 100, head.length)).trim();
}
