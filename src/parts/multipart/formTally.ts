import { ProblemError } from "../../ground/problem/index.js";
import type { MultipartLimits } from "./multipartLimits.js";

/** Counts the parts and bytes of a form, and enforces its limits. */
export class FormTally {
  readonly #limits: MultipartLimits;
  #files = 0;
  #fields = 0;
  #isFile = false;
  #partBytes = 0;
  #fieldsBytes = 0;

  constructor(limits: MultipartLimits) {
    this.#limits = limits;
  }

  /** @throws {ProblemError} TOO_MANY_FILES, TOO_MANY_FIELDS, TOO_MANY_PARTS */
  begin(isFile: boolean): void {
    const { files, fields, parts } = this.#limits;
    this.#isFile = isFile;
    this.#partBytes = 0;
    if (isFile) this.#files += 1;
    else this.#fields += 1;
    if (this.#files > files) throw tooMany("TOO_MANY_FILES", "files", files);
    if (this.#fields > fields) throw tooMany("TOO_MANY_FIELDS", "fields", fields);
    if (this.#files + this.#fields > parts) throw tooMany("TOO_MANY_PARTS", "parts", parts);
  }

  /** @throws {ProblemError} FIELD_TOO_LARGE */
  name(name: string): void {
    const { nameBytes } = this.#limits;
    if (Buffer.byteLength(name) > nameBytes) throw tooLarge("FIELD_TOO_LARGE", "The name of a part has", nameBytes);
  }

  /**
   * Counts content of the current part.
   *
   * @param name of a file, if known
   * @throws {ProblemError} FILE_TOO_LARGE, FIELD_TOO_LARGE
   */
  add(bytes: number, name?: string | undefined): void {
    const { fileBytes, fieldBytes, allFieldsBytes } = this.#limits;
    this.#partBytes += bytes;
    if (this.#isFile) {
      const what = name === undefined ? "A file" : `The file "${name.slice(0, 64)}"`;
      if (this.#partBytes > fileBytes) throw tooLarge("FILE_TOO_LARGE", `${what} has`, fileBytes, name);
      return;
    }
    this.#fieldsBytes += bytes;
    if (this.#partBytes > fieldBytes) throw tooLarge("FIELD_TOO_LARGE", "A field has", fieldBytes);
    if (this.#fieldsBytes > allFieldsBytes) throw tooLarge("FIELD_TOO_LARGE", "All fields of the form together have", allFieldsBytes);
  }
}

/** The problem for a body over its limit. */
export function formTooLarge(limitBytes: number): ProblemError {
  return tooLarge("TOTAL_TOO_LARGE", "The form has", limitBytes);
}

function tooLarge(code: "TOTAL_TOO_LARGE" | "FILE_TOO_LARGE" | "FIELD_TOO_LARGE", whatHas: string, limit: number, field?: string): ProblemError {
  return new ProblemError(code, `${whatHas} more than ${limit} bytes.`, { extensions: field === undefined ? { limit } : { limit, field } });
}

function tooMany(code: "TOO_MANY_FILES" | "TOO_MANY_FIELDS" | "TOO_MANY_PARTS", what: string, limit: number): ProblemError {
  return new ProblemError(code, `The form has too many ${what}; at most ${limit} are allowed.`, { extensions: { limit } });
}
