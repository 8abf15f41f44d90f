import { unknownMember } from "../../../engine/resource/write/unknownMembers.js";
import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { ProblemError, type ProblemItem } from "../../../ground/problem/index.js";
import type { DirectParts } from "../../../ground/storage/files/blobs.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type DirectUpload, type Upload } from "../records/upload.js";
import { invalid } from "./presignRequest.js";

/** Files of more bytes than this may be sent in parts. */
export const minMultipartBytes = 104_857_600;
const firstPage = 100;
const maxPartsPerPage = 1_000;

/** A multipart upload, and the blob store that receives its parts. */
export interface PartedUpload {
  readonly key: string;
  readonly draft: NonNullable<DirectUpload["parts"]>;
  readonly directParts: DirectParts;
  /** Number of the last part. */
  readonly last: number;
}

/** @throws {ProblemError} CONFLICT if the upload is not sent in parts */
export function partedUpload({ blobs }: UploadSettings, { record, data }: Upload): PartedUpload {
  const draft = data.direct?.parts;
  const { directParts } = blobs;
  if (draft === undefined || directParts === undefined) throw new ProblemError("CONFLICT", "This upload is not sent in parts.");
  return { key: blobKeyOf(record.id), draft, directParts, last: Math.ceil((data.length ?? 0) / draft.partBytes) };
}

/** The document that describes a new upload in parts to its client. */
export async function firstParts(settings: UploadSettings, upload: Upload, expiresIn: number): Promise<object> {
  const { key, draft, directParts, last } = partedUpload(settings, upload);
  const numbers = Array.from({ length: Math.min(last, firstPage) }, (_, index) => index + 1);
  const parts = await directParts.presign(key, draft, numbers, { expiresIn });
  return { uploadId: upload.record.id, partSize: draft.partBytes, parts, method: "PUT", headers: {} };
}

/**
 * Reads the numbers of the parts for which a client requests URLs.
 *
 * @throws {ProblemError} VALIDATION_FAILED
 */
export function readPartNumbers(body: unknown, last: number): readonly number[] {
  if (!isObject(body)) throw invalid([{ code: "INVALID_VALUE", detail: "The body must be a JSON object.", pointer: "" }]);
  const problems: ProblemItem[] = Object.keys(body)
    .filter((name) => name !== "numbers")
    .map((name) => unknownMember([name], ["numbers"]));
  const { numbers } = body;
  if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > maxPartsPerPage) {
    problems.push({ code: "INVALID_VALUE", detail: `"numbers" must be a list of 1 to ${maxPartsPerPage} part numbers.`, pointer: "/numbers" });
    throw invalid(problems);
  }
  const wrong = numbers.findIndex((number) => !Number.isSafeInteger(number) || Number(number) < 1 || Number(number) > last);
  if (wrong !== -1) problems.push({ code: "INVALID_VALUE", detail: `Part numbers are 1 to ${last}.`, pointer: pointer(["numbers", wrong]) });
  if (problems.length > 0) throw invalid(problems);
  return [...new Set(numbers.map(Number))];
}
