import { checkBlobKey } from "../../src/storage/blobKey.js";
import type { BlobDrafts, DraftWriter } from "../../src/storage/blobs.js";
import { completeDraft } from "./draftComplete.js";
import { emptyDraft, stateOf } from "./draftState.js";
import { type DraftWriting, openDraftWriter } from "./draftWriter.js";
import { createUpload, unlessMissing } from "./multipart.js";
import { checkType } from "./objects.js";
import { requireUpload } from "./pages.js";
import { mostParts, partBytesFor } from "./partBytes.js";
import { NoNumbersLeft, PartNumbers } from "./partNumbers.js";
import { removeBegun } from "./remove.js";
import { openTail, removeTails } from "./tails.js";
import type { Writing } from "./writer.js";

/** Numbers that are left for marks, and for those who take a draft over: each passes by some. */
const sparedParts = 2_000;

/** Blobs that come in pieces: an upload in parts, and an object with what does not fill one. */
export function s3Drafts({ api, unsent, slots }: Writing): BlobDrafts {
  return {
    begin: async (key, { contentType, size } = {}) => {
      checkBlobKey(key);
      checkType(contentType);
      const { uploadId } = await createUpload(api, key, contentType);
      const partBytes = partBytesFor(size, mostParts - sparedParts);
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
      if (stat !== undefined) await removeBegun(api, unsent, key);
      return stat;
    },
  };
}

/** With one for a part and one for the tail behind it, what is written can be flushed: whoever goes on comes further. */
const fewestNumbers = 2;

/** It is a 404 where the upload has ended; `undefined` where only the tail is gone, or so many have taken the draft over that nobody can go on with it. */
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

/** `false` where there are no numbers to leap to. */
async function hasLeapt(numbers: PartNumbers): Promise<boolean> {
  try {
    await numbers.leap();
    return true;
  } catch (error) {
    if (error instanceof NoNumbersLeft) return false;
    throw error;
  }
}
