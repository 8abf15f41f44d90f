import { requireLimits } from "../../../problem/index.js";
import type { CheckInput, FileCheck } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { type ScanOptions, scanCheck } from "../scanCheck.js";
import { bytesATurn, giveWay } from "../turn.js";
import { InflateBudget } from "../zip/inflateBudget.js";
import { compoundTypes, officeZipTypes } from "./officeTypes.js";
import { scanCompoundFile } from "./scanCompoundFile.js";
import { scanPackage } from "./scanPackage.js";
import { judgeRichText } from "./scanRichText.js";

/** How far {@link macroCheck} looks. */
export interface MacroCheckOptions extends ScanOptions {
  /** Entries of an archive, and of archives in it; 10,000 unless given. */
  readonly maxEntries?: number | undefined;
  /** Bytes that one compressed byte may become, in entries of more than 1 MiB; 200 unless given. */
  readonly maxRatio?: number | undefined;
}

const types: ReadonlySet<string> = new Set([...officeZipTypes, ...compoundTypes, "application/zip", "application/rtf", "application/xml"]);
const compound: ReadonlySet<string> = new Set(compoundTypes);

const optionNames = { maxBytes: true, maxInflatedBytes: true, maxEntries: true, maxRatio: true } as const satisfies Record<
  keyof MacroCheckOptions,
  true
>;

/**
 * Takes office documents only in which nothing can run: VBA, macro sheets of Excel 4.0, Basic, ActiveX, OLE objects, and templates elsewhere. Looks into documents
 * of Microsoft Office, old and new, OpenDocument, rich text, and ZIP archives of them. Other files pass; what cannot be looked into does not.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * macroCheck({ maxInflatedBytes: 200_000_000 });
 */
export function macroCheck(options: MacroCheckOptions = {}): FileCheck {
  requireLimits("macroCheck", options, optionNames);
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
  if (detectedType === "application/rtf") return findInSlices(bytes, judgeRichText, signal);
  if (detectedType === "application/xml") return findInSlices(bytes, judgeXml, signal);
  return scanPackage(bytes, { budget: new InflateBudget(options), signal, depth: 1 });
}

/** In slices, which lie over one another by more than what is looked for. */
async function findInSlices(bytes: Uint8Array, judge: (text: string) => string | undefined, signal: AbortSignal): Promise<string | undefined> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let start = 0; start < bytes.length; start += bytesATurn) {
    const what = judge(buffer.toString("latin1", Math.max(0, start - overlapBytes), start + bytesATurn));
    if (what !== undefined) return what;
    await giveWay(signal);
  }
  return undefined;
}

const overlapBytes = 256;

function judgeXml(text: string): string | undefined {
  return officeXml.test(text) ? "the form of an office document" : undefined;
}

/** Word and Excel open XML by this instruction, macros included, whatever the file is called. */
const officeXml = /<\?mso-application\s|<[\w.-]*:?binData[\s>]|schemas\.microsoft\.com\/office\/2006\/xmlPackage/;
