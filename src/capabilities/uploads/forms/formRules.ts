import { ConfigurationError, ProblemError } from "../../../ground/problem/index.js";
import type { Part } from "../../../parts/multipart/part.js";

/** Which parts a form may have (default: any) and must have. */
export interface FormRules {
  /** Names of the accepted fields → 400 UNKNOWN_FIELD for others. */
  readonly fields?: readonly string[] | "any" | undefined;
  /** Names of the fields that accept files → 400 UNKNOWN_FIELD for others. */
  readonly files?: readonly string[] | "any" | undefined;
  /** Names of the fields that must have a file → 422 FILE_REQUIRED. A form without files is always rejected. */
  readonly requiredFiles?: readonly string[] | undefined;
}

/**
 * @param place the option path of the rules, such as `uploads.forms.avatars`
 * @throws {ConfigurationError} if the rules contradict each other
 */
export function checkRules(place: string, { files = "any", requiredFiles = [] }: FormRules): void {
  const stray = requiredFiles.find((name) => files !== "any" && !files.includes(name));
  if (stray === undefined) return;
  throw new ConfigurationError(`"${place}.requiredFiles" names "${stray}", which is not among "files": ${files}.`);
}

/** @throws {ProblemError} UNKNOWN_FIELD */
export function requireKnown({ fields = "any", files = "any" }: FormRules, { kind, name }: Part): void {
  const [known, what] = kind === "file" ? [files, "files"] : [fields, "fields"];
  if (known === "any" || known.includes(name)) return;
  const taken = known.length === 0 ? "none are accepted" : `accepted are ${known.map((each) => JSON.stringify(each)).join(", ")}`;
  throw new ProblemError("UNKNOWN_FIELD", `No ${what} are accepted as ${JSON.stringify(name.slice(0, 64))}; ${taken}.`, {
    extensions: { field: name.slice(0, 64) },
  });
}

/**
 * @param names of the fields that contained files
 * @throws {ProblemError} FILE_REQUIRED
 */
export function requireFiles({ requiredFiles = [] }: FormRules, names: ReadonlySet<string>): void {
  const missing = requiredFiles.find((name) => !names.has(name));
  if (missing !== undefined) {
    throw new ProblemError("FILE_REQUIRED", `The form needs a file as ${JSON.stringify(missing)}.`, { extensions: { field: missing } });
  }
  if (names.size === 0) throw new ProblemError("FILE_REQUIRED", "The form has no file.");
}
