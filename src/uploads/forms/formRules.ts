import { ConfigurationError, listOfTexts, ProblemError } from "../../problem/index.js";
import type { Part } from "../multipart/part.js";

/** Which parts a form may and must have; unless told otherwise, any. */
export interface FormRules {
  /** Names of the fields that are taken → 400 UNKNOWN_FIELD for others. */
  readonly fields?: readonly string[] | "any" | undefined;
  /** Names of the fields that files are taken in → 400 UNKNOWN_FIELD for others. */
  readonly files?: readonly string[] | "any" | undefined;
  /** Names of the fields that must have a file → 422 FILE_REQUIRED. A form without any file is refused anyway. */
  readonly requiredFiles?: readonly string[] | undefined;
}

/**
 * @param place where the rules stand, such as `uploads.forms.avatars`
 * @throws {ConfigurationError} for rules that cannot be followed
 */
export function checkRules(place: string, { fields = "any", files = "any", requiredFiles = [] }: FormRules): void {
  const orAny = ', or "any"';
  if (fields !== "any") listOfTexts(`${place}.fields`, fields, orAny);
  if (files !== "any") listOfTexts(`${place}.files`, files, orAny);
  const stray = listOfTexts(`${place}.requiredFiles`, requiredFiles).find((name) => files !== "any" && !files.includes(name));
  if (stray === undefined) return;
  throw new ConfigurationError(`"${place}.requiredFiles" names "${stray}", which is not among "files": ${files}.`);
}

/** @throws {ProblemError} UNKNOWN_FIELD */
export function requireKnown({ fields = "any", files = "any" }: FormRules, { kind, name }: Part): void {
  const [known, what] = kind === "file" ? [files, "files"] : [fields, "fields"];
  if (known === "any" || known.includes(name)) return;
  const taken = known.length === 0 ? "none are taken" : `taken are ${known.map((each) => JSON.stringify(each)).join(", ")}`;
  throw new ProblemError("UNKNOWN_FIELD", `No ${what} are taken as ${JSON.stringify(name.slice(0, 64))}; ${taken}.`, {
    extensions: { field: name.slice(0, 64) },
  });
}

/**
 * @param names of the fields that have had files
 * @throws {ProblemError} FILE_REQUIRED
 */
export function requireFiles({ requiredFiles = [] }: FormRules, names: ReadonlySet<string>): void {
  const missing = requiredFiles.find((name) => !names.has(name));
  if (missing !== undefined) {
    throw new ProblemError("FILE_REQUIRED", `The form needs a file as ${JSON.stringify(missing)}.`, { extensions: { field: missing } });
  }
  if (names.size === 0) throw new ProblemError("FILE_REQUIRED", "The form has no file.");
}
