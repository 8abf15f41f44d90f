import type { FileCheck } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { type ScanOptions, scanCheck } from "../scanCheck.js";
import { InflateBudget } from "../zip/inflateBudget.js";
import { type PdfActiveName, pdfActiveNames } from "./activeNames.js";
import { scanPdf } from "./scanPdf.js";

export interface PdfCheckOptions extends ScanOptions {
  /** Names that may be there all the same, e.g. `["EmbeddedFile", "EmbeddedFiles"]` for invoices that carry their data along. */
  readonly allow?: readonly PdfActiveName[] | undefined;
}

const types: ReadonlySet<string> = new Set(["application/pdf"]);

/**
 * Takes PDFs only that have no scripts, no actions that open, send or start something, and no other files in them. Files that begin at a place in themselves may.
 * Encrypted and damaged ones are not taken; other files pass.
 *
 * @see ISO 32000-2 §12.6
 */
export function pdfCheck(options: PdfCheckOptions = {}): FileCheck {
  const allowed: ReadonlySet<string> = new Set(options.allow);
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
