import { yieldToEventLoop } from "../../../ground/http/yieldToEventLoop.js";
import { optionsCheck, strict, whole } from "../../../ground/options/index.js";
import { bytesPerYield } from "../bytesPerYield.js";
import type { CheckInput, FileCheck } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { type ScanOptions, scanCheck, scanShape } from "../scanCheck.js";
import { InflateBudget } from "../zip/inflateBudget.js";
import { compoundTypes, officeZipTypes } from "./officeTypes.js";
import { scanCompoundFile } from "./scanCompoundFile.js";
import { scanPackage } from "./scanPackage.js";

/** Options of {@link macroCheck}. */
export interface MacroCheckOptions extends ScanOptions {
  /** Maximum entries of an archive, including those of nested archives. Defaults to 10,000. */
  readonly maxEntries?: number | undefined;
  /** Maximum compression ratio of entries of more than 1 MiB. Defaults to 200. */
  readonly maxRatio?: number | undefined;
}

const types: ReadonlySet<string> = new Set([...officeZipTypes, ...compoundTypes, "application/zip", "application/rtf", "application/xml"]);
const compound: ReadonlySet<string> = new Set(compoundTypes);

const check = /* @__PURE__ */ optionsCheck("macroCheck", () =>
  strict<MacroCheckOptions>({ ...scanShape(), maxEntries: whole(1), maxRatio: whole(1) }),
);

/**
 * Accepts office documents only without active content: VBA, macro sheets of Excel 4.0, Basic, ActiveX, OLE objects, and external templates. Scans documents
 * of Microsoft Office, old and new, OpenDocument, rich text, and ZIP archives of them. Other files pass; files that cannot be scanned are rejected.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * macroCheck({ maxInflatedBytes: 200_000_000 });
 */
export function macroCheck(options: MacroCheckOptions = {}): FileCheck {
  check(options);
  return scanCheck({
    name: "macros",
    types,
    maxBytes: options.maxBytes,
    async scan(bytes, input) {
      const what = await find(bytes, input, options);
      return what === undefined ? undefined : reject("MACRO_FOUND", `The document has ${what}.`, { found: what });
    },
  });
}

async function find(bytes: Uint8Array, { detectedType = "", signal }: CheckInput, options: MacroCheckOptions): Promise<string | undefined> {
  if (compound.has(detectedType)) return scanCompoundFile(bytes, { mustBeDocument: detectedType !== "application/x-cfb" });
  if (detectedType === "application/rtf") return findInSlices(bytes, findMacrosInRichText, signal);
  if (detectedType === "application/xml") return findInSlices(bytes, findOfficeXml, signal);
  return scanPackage(bytes, { budget: new InflateBudget(options), signal, depth: 1 });
}

/** In slices that overlap by more than the length of a match. */
async function findInSlices(bytes: Uint8Array, find: (text: string) => string | undefined, signal: AbortSignal): Promise<string | undefined> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let start = 0; start < bytes.length; start += bytesPerYield) {
    const what = find(buffer.toString("latin1", Math.max(0, start - overlapBytes), start + bytesPerYield));
    if (what !== undefined) return what;
    await yieldToEventLoop(signal);
  }
  return undefined;
}

const overlapBytes = 256;

function findOfficeXml(text: string): string | undefined {
  return officeXml.test(text) ? "the form of an office document" : undefined;
}

/** Word and Excel open XML with this instruction, macros included, whatever the name of the file. */
const officeXml = /<\?mso-application\s|<[\w.-]*:?binData[\s>]|schemas\.microsoft\.com\/office\/2006\/xmlPackage/;

/** Control words of objects, and of content that is fetched or run when the document is opened. @see RTF 1.9.1 */
const words = /\\(?:objdata|objocx|objemb|objlink|objautlink|objupdate|objclass|object|template|ddeauto|filetbl)(?![a-z])/;

/** The active content of a rich text document; `undefined` if there is none. */
function findMacrosInRichText(text: string): string | undefined {
  const word = words.exec(text)?.[0];
  if (word === undefined) return undefined;
  return word === "\\template" ? "a template elsewhere" : "an embedded or linked OLE object";
}
