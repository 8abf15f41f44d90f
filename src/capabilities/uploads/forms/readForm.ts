import { createHash } from "node:crypto";
import { announcedForm, type FormMessage } from "../../../parts/multipart/announcedForm.js";
import { type CollectedFields, collectFields } from "../../../parts/multipart/collectFields.js";
import { formParts, type MultipartOptions } from "../../../parts/multipart/formParts.js";
import type { FieldPart, FilePart } from "../../../parts/multipart/part.js";
import { type FormRules, requireFiles, requireKnown } from "./formRules.js";

/** Stores the files of a form. */
export interface FileTaker<T> {
  /** Receives a file to its end. If it rejects, it leaves nothing of the file. */
  take(file: FilePart): Promise<T & { readonly sha256: string }>;
  /** Removes files that `take` has received. Never rejects. */
  drop(files: readonly T[]): Promise<void>;
}

/** A complete form. */
export interface ReadForm<T> {
  readonly files: readonly T[];
  readonly fields: CollectedFields;
  /** Identical for forms with the same content, even if their boundaries differ. */
  readonly fingerprint: string;
}

/**
 * Reads a form to its end. If the form is rejected or breaks off, nothing of it is kept.
 *
 * @throws {ProblemError} UNKNOWN_FIELD, FILE_REQUIRED, the problem that the form is rejected for, the rejections of `take`
 * @throws {ClientGone}
 */
export async function readForm<T>(
  message: FormMessage,
  { rules, ...options }: MultipartOptions & { readonly rules: FormRules },
  taker: FileTaker<T>,
): Promise<ReadForm<T>> {
  const files: T[] = [];
  const fields: FieldPart[] = [];
  const names = new Set<string>();
  const digest = createHash("sha256");
  const count = (...text: readonly (string | undefined)[]) => digest.update(`${JSON.stringify(text)}\n`);
  try {
    for await (const part of formParts(announcedForm(message), options)) {
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

/** The name of a file without a name. */
const nameless = "unnamed";

/**
 * Returns the file, or `undefined` if no file was chosen in the input: browsers then send an empty file without a name.
 *
 * @returns a file whose bytes can be iterated once
 */
async function chosenFile(file: FilePart): Promise<FilePart | undefined> {
  if (file.filename !== nameless) return file;
  const bytes = file.bytes[Symbol.asyncIterator]();
  const first = await bytes.next();
  return first.done === true ? undefined : { ...file, bytes: following(first.value, bytes) };
}

async function* following(first: Uint8Array, others: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield first;
    for (let next = await others.next(); next.done !== true; next = await others.next()) yield next.value;
  } finally {
    await others.return?.();
  }
}
