import { basename } from "node:path";
import { either, optionsCheck, passing, strict, text, timers, whole } from "../../ground/options/index.js";
import type { FileCheck, Rejection } from "./fileCheck.js";
import { checksSchema, fileChecks } from "./fileChecks.js";
import { type ImageSize, imageSize } from "./images/imageSize.js";
import { openFile } from "./openFile.js";
import { readCheckInput, readerOf, type UncheckedFile } from "./readCheckInput.js";
import type { RunChecksOptions } from "./runCheck.js";
import { type AcceptedFile, runChecks } from "./runChecks.js";
import { type TypeCheckOptions, typesSchema } from "./types/typeCheck.js";

/** Properties of a file besides its bytes, and time limits of its checks. */
export interface CheckFileOptions extends RunChecksOptions {
  /** Media types that are accepted, as `types` of uploads: adds {@link typeCheck} and {@link textCheck} of these before the other checks. */
  readonly types?: TypeCheckOptions["types"] | undefined;
  /** With its extension, which is checked. Defaults to the last part of the path, and to `unnamed`, which claims no type, for bytes. */
  readonly filename?: string | undefined;
  /** The value of its Content-Type, if one was sent. */
  readonly declaredType?: string | undefined;
  /** Ends the checks. */
  readonly signal?: AbortSignal | undefined;
}

/** A file that all checks have accepted. */
export interface CheckedFile extends AcceptedFile {
  /** Of the bytes to keep, in bytes. */
  readonly size: number;
  /** In pixels; `undefined` if it is not an image, or its head does not contain the size. */
  readonly image: ImageSize | undefined;
}

const checkSource = /* @__PURE__ */ optionsCheck("checkFile", () =>
  strict<{ readonly source: unknown; readonly checks: unknown }>(
    {
      source: either(
        "a Uint8Array, or the path of a file",
        text(),
        passing("a Uint8Array", (value) => value instanceof Uint8Array),
      ),
      checks: checksSchema(),
    },
    ["source", "checks"],
  ),
);

const checkOptions = /* @__PURE__ */ optionsCheck("checkFile", () =>
  strict<CheckFileOptions>({
    types: typesSchema(),
    filename: text(),
    declaredType: text(),
    signal: passing("an AbortSignal", (value) => value instanceof AbortSignal),
    timeoutMs: whole(1),
    timers: timers(),
  }),
);

/**
 * Runs checks on one file as an upload does: in the same order, each with its time limit. A file on disk is opened once and read by ranges; it is read as a
 * whole only by checks that need all its bytes and limit them. Nothing is written: `bytes` of the result replace the file if a check rewrote it.
 *
 * @param source the bytes, or the path of a regular file, which must not change meanwhile
 * @param checks in their order
 * @returns the accepted file, or why it is rejected: see {@link rejectionProblem}
 * @throws {FileUnreadable} if the file does not exist, cannot be read, or changes while it is checked
 * @throws {ConfigurationError} for arguments and options that cannot work
 * @throws the reason of `signal` when that is aborted
 * @example
 * const result = await checkFile("inbox/report.pdf", [pdfCheck()], { types: ["application/pdf"] });
 * if (result.verdict === "reject") console.log(result.code, result.detail);
 */
export async function checkFile(
  source: Uint8Array | string,
  checks: readonly FileCheck[],
  options: CheckFileOptions = {},
): Promise<CheckedFile | Rejection> {
  checkSource({ source, checks });
  checkOptions(options);
  const { types, filename, ...rest } = options;
  const all = types === undefined ? checks : fileChecks("checkFile", types, checks);
  rest.signal?.throwIfAborted();
  if (typeof source !== "string") return run(all, { filename: filename ?? "unnamed", size: source.length, read: readerOf(source) }, rest);
  const file = await openFile(source);
  try {
    const result = await run(all, { filename: filename ?? basename(source), size: file.size, read: file.read }, rest);
    await file.verifyUnchanged();
    return result;
  } finally {
    await file.close();
  }
}

type Known = Omit<CheckFileOptions, "types" | "filename">;

async function run(
  checks: readonly FileCheck[],
  file: UncheckedFile & { readonly size: number },
  { declaredType, signal, ...options }: Known,
): Promise<CheckedFile | Rejection> {
  const input = await readCheckInput({ ...file, declaredType, signal });
  const outcome = await runChecks(checks, input, options);
  if (outcome.verdict === "reject") return outcome;
  const { detectedType, bytes } = outcome;
  const image = detectedType?.startsWith("image/") === true ? imageSize(bytes ?? input.head) : undefined;
  return { ...outcome, size: bytes?.length ?? file.size, image };
}
