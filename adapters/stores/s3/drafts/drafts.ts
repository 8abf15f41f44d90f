import { checkBlobKey } from "../../../../src/ground/storage/files/blobKey.js";
import type { BlobDrafts, DraftWriter } from "../../../../src/ground/storage/files/blobs.js";
import { createUpload, unlessMissing } from "../multipart.js";
import { checkType } from "../objects.js";
import { requireUpload } from "../pages.js";
import { maxParts, partBytesFor } from "../partBytes.js";
import { removeIncomplete } from "../remove.js";
import type { Writing } from "../writer.js";
import { completeDraft } from "./draftComplete.js";
import { emptyDraft, stateOf } from "./draftState.js";
import { type DraftWriting, openDraftWriter } from "./draftWriter.js";
import { NoPartNumbersLeft, PartNumbers } from "./partNumbers.js";
import { openTail, removeTails } from "./tails.js";

/** Numbers that are reserved for marks and for takeovers, each of which skips some. */
const sparedParts = 2_000;

/** Drafts of blobs: a multipart upload, and an object with the bytes that do not fill a part. */
export function s3Drafts({ api, pending, slots }: Writing): BlobDrafts {
  return {
    begin: async (key, { contentType, size } = {}) => {
      checkBlobKey(key);
      checkType(contentType);
      const { uploadId } = await createUpload(api, key, contentType);
      const partBytes = partBytesFor(size, maxParts - sparedParts);
      return emptyDraft({ uploadId, contentType, partBytes });
    },
    resume: async (key, draft, { isContested = false } = {}) => {
      checkBlobKey(key);
      const state = stateOf(draft);
      return state && unlessMissing(() => resume({ api, slots, key, state }, isContested));
    },
    complete: async (key, draft) => {
      checkBlobKey(key);
      const stat = await completeDraft(api, key, draft);
      if (stat !== undefined) await removeIncomplete(api, pending, key);
      return stat;
    },
  };
}

/** With one number for a part and one for the tail after it, bytes can be flushed, so that a resumed draft makes progress. */
const fewestNumbers = 2;

/** Responds 404 if the upload has ended; `undefined` if only the tail is gone, or the numbers of the upload are used up. */
async function resume(writing: Omit<DraftWriting, "numbers" | "tail">, isContested: boolean): Promise<DraftWriter | undefined> {
  const { api, key, state } = writing;
  const upload = { key, uploadId: state.uploadId };
  const numbers = new PartNumbers(api, upload, state.window);
  if (!isContested && numbers.left >= fewestNumbers) await requireUpload(api, upload);
  else if (!(await hasLeapt(numbers))) return undefined;
  const tail = state.tail === undefined ? [] : await openTail(api, key, state.tail);
  await removeTails(api, key, state.oldTails);
  return tail && openDraftWriter({ ...writing, numbers, tail });
}

/** `false` if there are no numbers to skip to. */
async function hasLeapt(numbers: PartNumbers): Promise<boolean> {
  try {
    await numbers.leap();
    return true;
  } catch (error) {
    if (error instanceof NoPartNumbersLeft) return false;
    throw error;
  }
}
