import { listOf, oneOf, optionsCheck, strict } from "../../../ground/options/index.js";
import type { FileCheck } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { type ScanOptions, scanCheck, scanShape } from "../scanCheck.js";
import { InflateBudget } from "../zip/inflateBudget.js";
import { type PdfActiveName, pdfActiveNames } from "./activeNames.js";
import { scanPdf } from "./scanPdf.js";

/** Options of {@link pdfCheck}. */
export interface PdfCheckOptions extends ScanOptions {
  /** Allowed names, e.g. `["EmbeddedFile", "EmbeddedFiles"]` for invoices with embedded data. */
  readonly allow?: readonly PdfActiveName[] | undefined;
}

const check = /* @__PURE__ */ optionsCheck("pdfCheck", () =>
  strict<PdfCheckOptions>({ ...scanShape(), allow: listOf(oneOf(...pdfActiveNames), "an array of names") }),
);

const types: ReadonlySet<string> = new Set(["application/pdf"]);

/**
 * Accepts PDFs only without scripts, actions that open, send or start something, and embedded files. An initial position inside the document is allowed.
 * Encrypted and damaged PDFs are rejected; other files pass.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @see ISO 32000-2 §12.6
 * @example
 * pdfCheck({ allow: ["EmbeddedFile", "EmbeddedFiles"] });
 */
export function pdfCheck(options: PdfCheckOptions = {}): FileCheck {
  check(options);
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
