import { randomBytes } from "node:crypto";
import { systemTimers } from "../../../ground/http/timers.js";
import { having, optionsCheck, passing, strict, whole } from "../../../ground/options/index.js";
import type { BlobStore } from "../../../ground/storage/files/blobs.js";
import type { FileCheck } from "../../../parts/checks/fileCheck.js";
import { checksSchema, fileChecks } from "../../../parts/checks/fileChecks.js";
import { rejectionProblem } from "../../../parts/checks/rejection.js";
import { typesSchema } from "../../../parts/checks/types/typeCheck.js";
import type { CollectedFields } from "../../../parts/multipart/collectFields.js";
import type { MultipartOptions } from "../../../parts/multipart/formParts.js";
import { defaultMultipartLimits } from "../../../parts/multipart/multipartLimits.js";
import { type MultipartRequest, messageOf } from "../../../parts/multipart/multipartRequest.js";
import { multipartSchema } from "../../../parts/multipart/parseMultipart.js";
import type { FilePart } from "../../../parts/multipart/part.js";
import { type CheckSettings, checkBlob, keepBlob } from "../finish/checkBlob.js";
import { HashedBlobWriter } from "../hashedBlob.js";
import { formRuleShape } from "../optionsSchema.js";
import { writeFile } from "../plain/writeFile.js";
import type { StoredFile } from "../records/upload.js";
import { requireAcceptedClaim } from "../requireAcceptedClaim.js";
import { checkRules, type FormRules } from "./formRules.js";
import { readForm } from "./readForm.js";

/** Options of {@link receiveForm}. */
export interface ReceiveFormOptions extends FormRules {
  /** The store for the files: `diskBlobs({ path })`, `s3Blobs(…)`, `memoryBlobs()`. */
  readonly blobs: BlobStore;
  /** Accepted media types, such as `image/png`; `"any"` accepts all. */
  readonly types: readonly string[] | "any";
  /** Extra file checks, run in this order. */
  readonly checks?: readonly FileCheck[] | undefined;
  /** How long one check may take, in milliseconds (10,000). */
  readonly checkMs?: number | undefined;
  /** Overrides of {@link defaultMultipartLimits}, and the timers. */
  readonly limits?: MultipartOptions | undefined;
  /** Prefix of the blob keys (`form_`): at most 96 letters, digits, `-` and `_`. */
  readonly keyPrefix?: string | undefined;
}

const check = /* @__PURE__ */ optionsCheck("receiveForm", () =>
  strict<ReceiveFormOptions>(
    {
      blobs: having("a BlobStore, such as memoryBlobs()", "open"),
      types: typesSchema(),
      checks: checksSchema(),
      checkMs: whole(1),
      limits: multipartSchema(),
      keyPrefix: passing('at most 96 letters, digits, "-" and "_"', (value) => typeof value === "string" && /^[A-Za-z0-9_-]{0,96}$/.test(value)),
      ...formRuleShape(),
    },
    ["blobs", "types"],
  ),
);

/** A file of a form, whose blob is in the store. */
export interface FormFile extends StoredFile {
  /** Name of the form field. */
  readonly field: string;
  /** Sanitized; safe to store and display. */
  readonly filename: string;
  /** Media type declared by the client. */
  readonly declaredContentType: string | undefined;
  /** Names of the checks that decide later. Until then, the caller must not make the file readable. */
  readonly deferredTo: readonly string[];
}

/** A form whose files have all been checked. */
export interface FormWithFiles {
  /** In the order of the form; at least one. */
  readonly files: readonly FormFile[];
  /** Values by field name; a repeated field has an array. */
  readonly fields: CollectedFields;
}

interface WrittenPart {
  readonly file: FilePart;
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Receives a form with files in your own route: reads the form, checks its files and stores them as blobs. If it throws, no file is kept. Only if the process dies,
 * blobs with the key prefix may be left.
 *
 * @throws {ProblemError} UNKNOWN_FIELD, FILE_REQUIRED, TYPE_NOT_ALLOWED, SCAN_UNAVAILABLE, other problems of checks, and all problems of {@link parseMultipart}
 * @throws {ClientGone} when the connection ends before the form
 * @throws {ConfigurationError} for invalid options
 * @example
 * const { files, fields } = await receiveForm(request, { blobs, types: ["image/png", "image/jpeg"], requiredFiles: ["photo"] });
 */
export async function receiveForm(request: MultipartRequest, options: ReceiveFormOptions): Promise<FormWithFiles> {
  check(options);
  const { blobs, types, checks = [], checkMs = 10_000, limits = {}, keyPrefix = "form_", fields, files, requiredFiles } = options;
  checkRules("receiveForm", options);
  const checking: CheckSettings = {
    checks: fileChecks("receiveForm", types, checks),
    checkMs,
    timers: limits.timers ?? systemTimers,
  };
  const drop = async (parts: readonly { readonly key: string }[]) => {
    for (const { key } of parts) await blobs.delete(key).catch(() => false);
  };
  const read = await readForm<WrittenPart>(
    messageOf(request),
    { ...limits, fileBytes: maxFileBytes(blobs, limits), rules: { fields, files, requiredFiles } },
    { take: (file) => write(blobs, checking, { types, file, key: keyPrefix + randomBytes(16).toString("hex") }), drop },
  );
  const kept: FormFile[] = [];
  try {
    for (const part of read.files) kept.push(await keep(blobs, checking, part));
  } catch (error) {
    await drop([...read.files, ...kept]);
    throw error;
  }
  const replaced = read.files.filter(({ key }, index) => kept[index]?.key !== key);
  await drop(replaced);
  return { files: kept, fields: read.fields };
}

/** The size of a file in a form is not announced, and a store may have a lower limit for such files than the form. */
function maxFileBytes({ maxBytes }: BlobStore, { fileBytes = defaultMultipartLimits.fileBytes }: MultipartOptions): number {
  return maxBytes === undefined ? fileBytes : Math.min(fileBytes, maxBytes);
}

async function write(
  blobs: BlobStore,
  checking: CheckSettings,
  { types, file, key }: Pick<WrittenPart, "file" | "key"> & Pick<ReceiveFormOptions, "types">,
): Promise<WrittenPart> {
  const { filename, declaredContentType: declaredType, bytes: source } = file;
  requireAcceptedClaim({ types }, filename, declaredType);
  let writer: HashedBlobWriter | undefined;
  try {
    writer = await HashedBlobWriter.open(blobs, key);
    const { size, sha256 } = await writeFile(writer, { filename, declaredType, source, isFollowed: true }, checking);
    return { file, key, size, sha256 };
  } catch (error) {
    await writer?.abort().catch(() => {});
    throw error;
  }
}

async function keep(blobs: BlobStore, checking: CheckSettings, { file, ...blob }: WrittenPart): Promise<FormFile> {
  const { name: field, filename, declaredContentType } = file;
  const outcome = await checkBlob(blobs, { ...blob, filename, declaredType: declaredContentType }, checking);
  if (outcome.verdict === "reject") throw rejectionProblem({ ...outcome, extensions: { ...outcome.extensions, field, filename } });
  const stored = await keepBlob(blobs, blob, outcome);
  return { ...stored, field, filename, declaredContentType, deferredTo: outcome.deferredTo };
}
