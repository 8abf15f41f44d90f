import type { DocumentOf } from "./serviceModule.js";
import { checkWrittenTo, type WrittenTo } from "./writtenText.js";

/** The options of the commands that make a text of a service's OpenAPI document. */
export const documentOptions = {
  out: { type: "string" },
  check: { type: "string" },
  as: { type: "string" },
  "api-version": { type: "string" },
  help: { type: "boolean", short: "h" },
} as const;

type Given = { readonly [Name in Exclude<keyof typeof documentOptions, "help">]?: string | undefined };

/** Where the text goes, and of which document it is made. @throws {UsageError} */
export function documentChoices({ out, check, as, "api-version": apiVersion }: Given): { readonly written: WrittenTo; readonly of: DocumentOf } {
  checkWrittenTo({ out, check });
  return { written: { out, check }, of: { as, apiVersion } };
}
