import { randomBytes } from "node:crypto";
import { systemTimers } from "../../http/timers.js";
import { ConfigurationError, requireOptions, shown, wholeNumber } from "../../problem/index.js";
import type { BlobStore, BlobWriter } from "../../storage/blobs.js";
import type { FileCheck } from "../checks/fileCheck.js";
import { fileChecks } from "../checks/fileChecks.js";
import { rejectionProblem } from "../checks/rejection.js";
import { requireClaim } from "../finish/finishUpload.js";
import { type Judging, judgeBlob, keepBlob } from "../finish/judgeBlob.js";
import type { CollectedFields } from "../multipart/collectFields.js";
import { defaultMultipartLimits } from "../multipart/multipartLimits.js";
import type { MultipartRequest } from "../multipart/multipartRequest.js";
import type { MultipartOptions } from "../multipart/parseMultipart.js";
import type { FilePart } from "../multipart/part.js";
import { writeFile } from "../plain/writeFile.js";
import type { StoredFile } from "../records/upload.js";
import { checkRules, type FormRules } from "./formRules.js";
import { readForm } from "./readForm.js";

/** How a form is received, and where its files go. */
export interface ReceiveFormOptions extends FormRules {
  /** The store that files are kept in: `diskBlobs({ path })`, `s3Blobs(…)`, `memoryBlobs()`. */
  readonly blobs: BlobStore;
  /** Media types that are taken, such as `image/png`; `"any"` takes everything. */
  readonly types: readonly string[] | "any";
  /** What looks into files besides, in this order. */
  readonly checks?: readonly FileCheck[] | undefined;
  /** How long one check may take, in milliseconds (10,000). */
  readonly checkMs?: number | undefined;
  /** Limits that differ from {@link defaultMultipartLimits}, and where the time comes from. */
  readonly limits?: MultipartOptions | undefined;
  /** What keys of blobs begin with (`form_`): at most 96 letters, digits, `-` and `_`. */
  readonly keyPrefix?: string | undefined;
}

const optionNames = {
  blobs: true,
  types: true,
  checks: true,
  checkMs: true,
  limits: true,
  keyPrefix: true,
  fields: true,
  files: true,
  requiredFiles: true,
} as const satisfies Record<keyof ReceiveFormOptions, true>;

/** A file of a form, whose blob is in the store. */
export interface FormFile extends StoredFile {
  /** Name of the field that it came in. */
  readonly field: string;
  /** Safe to be kept and shown. */
  readonly filename: string;
  /** As the client says. */
  readonly declaredContentType: string | undefined;
  /** Names of the checks that judge it later; it is for the caller to show it to nobody until then. */
  readonly deferredTo: readonly string[];
}

/** A form whose files were all checked. */
export interface FormWithFiles {
  /** In their order; at least one. */
  readonly files: readonly FormFile[];
  /** By their names; one that stands more than once has an array. */
  readonly fields: CollectedFields;
}

interface WrittenPart {
  readonly file: FilePart;
  readonly key: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Receives a form with files for a route of your own: reads it, checks its files and keeps them as blobs. Either all are kept, or none is: whatever is thrown,
 * nothing is left. Only a process that dies meanwhile leaves blobs, under the prefix of their keys.
 *
 * @throws {ProblemError} UNKNOWN_FIELD, FILE_REQUIRED, TYPE_NOT_ALLOWED, SCAN_UNAVAILABLE, what else checks refuse, and all that {@link parseMultipart} does
 * @throws {ClientGone} when the connection ends before the form
 * @throws {ConfigurationError} for options that cannot work
 * @throws {RangeError} for a limit that cannot work
 * @example
 * const { files, fields } = await receiveForm(request, { blobs, types: ["image/png", "image/jpeg"], requiredFiles: ["photo"] });
 */
export async function receiveForm(request: MultipartRequest, options: ReceiveFormOptions): Promise<FormWithFiles> {
  requireOptions("receiveForm", options, optionNames);
  const { blobs, types, checks = [], checkMs = 10_000, limits = {}, keyPrefix = "form_", fields, files, requiredFiles } = options;
  checkRules("receiveForm", options);
  if (typeof blobs?.open !== "function")
    throw new ConfigurationError(`"receiveForm.blobs" must be a BlobStore, such as memoryBlobs(); got ${shown(blobs)}.`);
  if (!/^[A-Za-z0-9_-]{0,96}$/.test(keyPrefix)) {
    throw new ConfigurationError(`"receiveForm.keyPrefix" must be at most 96 letters, digits, "-" and "_"; got ${shown(keyPrefix)}.`);
  }
  const judging: Judging = {
    checks: fileChecks("receiveForm", types, checks),
    checkMs: wholeNumber("receiveForm.checkMs", checkMs, 1),
    timers: limits.timers ?? systemTimers,
  };
  const drop = async (parts: readonly { readonly key: string }[]) => {
    for (const { key } of parts) await blobs.delete(key).catch(() => false);
  };
  const read = await readForm<WrittenPart>(
    request,
    { ...limits, fileBytes: mostFileBytes(blobs, limits), rules: { fields, files, requiredFiles } },
    { take: (file) => write(blobs, judging, { types, file, key: keyPrefix + randomBytes(16).toString("hex") }), drop },
  );
  const kept: FormFile[] = [];
  try {
    for (const part of read.files) kept.push(await keep(blobs, judging, part));
  } catch (error) {
    await drop([...read.files, ...kept]);
    throw error;
  }
  const replaced = read.files.filter(({ key }, index) => kept[index]?.key !== key);
  await drop(replaced);
  return { files: kept, fields: read.fields };
}

/** Files of a form do not say how long they are: a store may take less of such than the form would. */
function mostFileBytes({ mostBytes }: BlobStore, { fileBytes = defaultMultipartLimits.fileBytes }: MultipartOptions): number {
  return mostBytes === undefined ? fileBytes : Math.min(fileBytes, mostBytes);
}

async function write(
  blobs: BlobStore,
  judging: Judging,
  { types, file, key }: Pick<WrittenPart, "file" | "key"> & Pick<ReceiveFormOptions, "types">,
): Promise<WrittenPart> {
  const { filename, declaredContentType: declaredType, bytes: source } = file;
  requireClaim({ types }, filename, declaredType);
  let writer: BlobWriter | undefined;
  try {
    writer = await blobs.open(key);
    const { size, hash } = await writeFile(writer, { filename, declaredType, source, isFollowed: true }, judging);
    return { file, key, size, sha256: hash.digest("hex") };
  } catch (error) {
    await writer?.abort().catch(() => {});
    throw error;
  }
}

async function keep(blobs: BlobStore, judging: Judging, { file, ...blob }: WrittenPart): Promise<FormFile> {
  const { name: field, filename, declaredContentType } = file;
  const outcome = await judgeBlob(blobs, { ...blob, filename, declaredType: declaredContentType }, judging);
  if (outcome.verdict === "reject") throw rejectionProblem({ ...outcome, extensions: { ...outcome.extensions, field, filename } });
  const stored = await keepBlob(blobs, blob, outcome);
  return { ...stored, field, filename, declaredContentType, deferredTo: outcome.deferredTo };
}
