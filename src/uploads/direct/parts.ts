import { pointer } from "../../http/pointer.js";
import { ProblemError, type ProblemItem } from "../../problem/index.js";
import { unknownMember } from "../../resource/unknownMembers.js";
import { isPlainObject } from "../../schema/wire.js";
import type { DirectParts } from "../../storage/blobs.js";
import type { UploadSettings } from "../records/settings.js";
import { blobKeyOf, type DirectUpload, type Upload } from "../records/upload.js";
import { invalid } from "./presignRequest.js";

/** Files of more bytes than this may be sent in parts. */
export const leastInParts = 104_857_600;
const firstPage = 100;
const mostAtOnce = 1_000;

/** An upload in parts, and the store that takes them. */
export interface PartedUpload {
  readonly key: string;
  readonly draft: NonNullable<DirectUpload["parts"]>;
  readonly directParts: DirectParts;
  /** Number of the last part. */
  readonly last: number;
}

/** @throws {ProblemError} CONFLICT for an upload that does not come in parts */
export function partedUpload({ blobs }: UploadSettings, { record, data }: Upload): PartedUpload {
  const draft = data.direct?.parts;
  const { directParts } = blobs;
  if (draft === undefined || directParts === undefined) throw new ProblemError("CONFLICT", "This upload does not come in parts.");
  return { key: blobKeyOf(record.id), draft, directParts, last: Math.ceil((data.length ?? 0) / draft.partBytes) };
}

/** What a client is told of an upload in parts that begins. */
export async function firstParts(settings: UploadSettings, upload: Upload, expiresIn: number): Promise<object> {
  const { key, draft, directParts, last } = partedUpload(settings, upload);
  const numbers = Array.from({ length: Math.min(last, firstPage) }, (_, index) => index + 1);
  const parts = await directParts.presign(key, draft, numbers, { expiresIn });
  return { uploadId: upload.record.id, partSize: draft.partBytes, parts, method: "PUT", headers: {} };
}

/**
 * Reads which parts a client wants addresses for.
 *
 * @throws {ProblemError} VALIDATION_FAILED
 */
export function readPartNumbers(body: unknown, last: number): readonly number[] {
  if (!isPlainObject(body)) throw invalid([{ code: "INVALID_VALUE", detail: "The body must be a JSON object.", pointer: "" }]);
  const problems: ProblemItem[] = Object.keys(body)
    .filter((name) => name !== "numbers")
    .map((name) => unknownMember([name], ["numbers"]));
  const { numbers } = body;
  if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > mostAtOnce) {
    problems.push({ code: "INVALID_VALUE", detail: `"numbers" must be a list of 1 to ${mostAtOnce} numbers of parts.`, pointer: "/numbers" });
    throw invalid(problems);
  }
  const wrong = numbers.findIndex((number) => !Number.isSafeInteger(number) || Number(number) < 1 || Number(number) > last);
  if (wrong !== -1) problems.push({ code: "INVALID_VALUE", detail: `Parts have numbers from 1 to ${last}.`, pointer: pointer(["numbers", wrong]) });
  if (problems.length > 0) throw invalid(problems);
  return [...new Set(numbers.map(Number))];
}
