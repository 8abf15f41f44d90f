import { createHash } from "node:crypto";
import { type CollectedFields, collectFields } from "../multipart/collectFields.js";
import type { MultipartRequest } from "../multipart/multipartRequest.js";
import { type MultipartOptions, parseMultipart } from "../multipart/parseMultipart.js";
import type { FieldPart, FilePart } from "../multipart/part.js";
import { chosenFile } from "./chosenFile.js";
import { type FormRules, requireFiles, requireKnown } from "./formRules.js";

/** Where the files of a form go. */
export interface FileTaker<T> {
  /** Takes a file in, to its end. Nothing of it is left where this rejects. */
  take(file: FilePart): Promise<T & { readonly sha256: string }>;
  /** Leaves nothing of files that were taken. Never rejects. */
  drop(files: readonly T[]): Promise<void>;
}

/** A form that is whole. */
export interface ReadForm<T> {
  readonly files: readonly T[];
  readonly fields: CollectedFields;
  /** The same for the same form, whatever its boundary. */
  readonly fingerprint: string;
}

/**
 * Reads a form to its end. Nothing is left of one that is refused or breaks off.
 *
 * @throws {ProblemError} UNKNOWN_FIELD, FILE_REQUIRED, what the form itself is refused for, what `take` rejects with
 * @throws {ClientGone}
 */
export async function readForm<T>(
  request: MultipartRequest,
  { rules, ...options }: MultipartOptions & { readonly rules: FormRules },
  taker: FileTaker<T>,
): Promise<ReadForm<T>> {
  const files: T[] = [];
  const fields: FieldPart[] = [];
  const names = new Set<string>();
  const digest = createHash("sha256");
  const count = (...text: readonly (string | undefined)[]) => digest.update(`${JSON.stringify(text)}\n`);
  try {
    for await (const part of parseMultipart(request, options)) {
      requireKnown(rules, part);
      const { kind, name, declaredContentType } = part;
      if (part.kind === "field") {
        fields.push(part);
        count(kind, name, declaredContentType, createHash("sha256").update(part.value).digest("hex"));
        continue;
      }
      const file = await chosenFile(part);
      if (file === undefined) continue;
      const taken = await taker.take(file);
      files.push(taken);
      names.add(name);
      count(kind, name, declaredContentType, file.filename, taken.sha256);
    }
    requireFiles(rules, names);
  } catch (error) {
    await taker.drop(files);
    throw error;
  }
  return { files, fields: collectFields(fields), fingerprint: digest.digest("hex") };
}
