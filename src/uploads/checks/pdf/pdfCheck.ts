import { ConfigurationError, listOfTexts, requireLimits } from "../../../problem/index.js";
import type { FileCheck } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { type ScanOptions, scanCheck } from "../scanCheck.js";
import { InflateBudget } from "../zip/inflateBudget.js";
import { type PdfActiveName, pdfActiveNames } from "./activeNames.js";
import { scanPdf } from "./scanPdf.js";

/** How far {@link pdfCheck} looks, and what it lets through. */
export interface PdfCheckOptions extends ScanOptions {
  /** Names that may be there all the same, e.g. `["EmbeddedFile", "EmbeddedFiles"]` for invoices that carry their data along. */
  readonly allow?: readonly PdfActiveName[] | undefined;
}

const optionNames = { allow: true, maxBytes: true, maxInflatedBytes: true } as const satisfies Record<keyof PdfCheckOptions, true>;

const types: ReadonlySet<string> = new Set(["application/pdf"]);

/**
 * Takes PDFs only that have no scripts, no actions that open, send or start something, and no other files in them. Files that begin at a place in themselves may.
 * Encrypted and damaged ones are not taken; other files pass.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @see ISO 32000-2 §12.6
 * @example
 * pdfCheck({ allow: ["EmbeddedFile", "EmbeddedFiles"] });
 */
export function pdfCheck(options: PdfCheckOptions = {}): FileCheck {
  const { allow, ...limits } = options;
  requireLimits("pdfCheck", limits, optionNames);
  const allowed = allowedNames(allow ?? []);
  const forbidden: ReadonlySet<string> = new Set(pdfActiveNames.filter((name) => !allowed.has(name)));
  return scanCheck({
    name: "pdf",
    types,
    maxBytes: options.maxBytes,
    async scan(bytes, { signal }) {
      const budget = new InflateBudget({ maxInflatedBytes: options.maxInflatedBytes });
      const name = await scanPdf(bytes, { forbidden, budget, signal });
      return name === undefined ? undefined : reject("PDF_ACTIVE_CONTENT", `The PDF has active content: /${name}.`, { found: name });
    },
  });
}

/** @throws {ConfigurationError} */
function allowedNames(allow: readonly PdfActiveName[]): ReadonlySet<string> {
  const known: ReadonlySet<string> = new Set(pdfActiveNames);
  const unknown = listOfTexts("pdfCheck.allow", allow).find((name) => !known.has(name));
  if (unknown !== undefined) throw new ConfigurationError(`"pdfCheck.allow" names "${unknown}"; there are: ${pdfActiveNames.join(", ")}.`);
  return new Set(allow);
}
