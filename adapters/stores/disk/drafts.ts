import { rm, stat } from "node:fs/promises";
import type { BlobDrafts } from "../../../src/ground/storage/files/blobs.js";
import { clampRange } from "../../../src/ground/storage/files/clampRange.js";
import { type BlobPaths, newPartId, partOf } from "./blobPaths.js";
import { completeDraft } from "./draftComplete.js";
import { recoverDraft } from "./draftRecover.js";
import { type DiskDraft, formatDraft, parseDraft } from "./draftState.js";
import { resumeDraft } from "./draftWriter.js";
import { ifThere, onDisk } from "./errors.js";
import { syncFolder } from "./folder.js";
import { hashWorker } from "./hashWorker.js";
import { readPart } from "./read.js";
import { createPart } from "./writer.js";

/**
 * Drafts as part files, which become blobs by a rename.
 *
 * @param place returns the paths of a key; throws for an invalid one
 */
export function diskDrafts(place: (key: string) => BlobPaths): BlobDrafts {
  return {
    begin: async (key, { contentType } = {}) => {
      const draft = { part: newPartId(), superseded: undefined, contentType, size: 0 };
      await onDisk(createEmpty(place(key), draft.part));
      return formatDraft(draft);
    },
    resume: async (key, draft, { isContested = false } = {}) => {
      const [at, known] = [place(key), parseDraft(draft)];
      return known && onDisk(resumeDraft(at, known, isContested));
    },
    recover: async (key, draft) => {
      const [at, known] = [place(key), parseDraft(draft)];
      const recovered = known && (await onDisk(recoverDraft(at, known)));
      return recovered && formatDraft(recovered);
    },
    follow: async (key, draft) => {
      const known = parseDraft(draft);
      if (known !== undefined) await hashWorker.follow(partOf(place(key), known.part), known.size);
    },
    sha256: async (key, draft) => {
      const known = parseDraft(draft);
      return known && hashWorker.digest(partOf(place(key), known.part), known.size);
    },
    read: async (key, draft, range) => {
      const [at, known] = [place(key), parseDraft(draft)];
      if (known === undefined || !(await isThere(at, known))) return undefined;
      return readPart(partOf(at, known.part), at, known.size, clampRange(range, known.size));
    },
    complete: async (key, draft) => {
      const [at, known] = [place(key), parseDraft(draft)];
      return known && onDisk(completeDraft(at, known));
    },
  };
}

async function createEmpty(place: BlobPaths, id: string): Promise<void> {
  const part = partOf(place, id);
  const handle = await createPart(part, place.folder);
  try {
    await handle.sync().finally(() => handle.close());
    await syncFolder(place.folder);
  } catch (error) {
    await rm(part, { force: true }).catch(() => {});
    throw error;
  }
}

async function isThere(place: BlobPaths, { part, size }: DiskDraft): Promise<boolean> {
  const file = await onDisk(ifThere(stat(partOf(place, part))));
  return file !== undefined && file.size >= size;
}
