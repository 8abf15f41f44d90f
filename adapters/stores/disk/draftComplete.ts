import { createHash } from "node:crypto";
import { open, rename } from "node:fs/promises";
import type { BlobStat } from "../../../src/ground/storage/files/blobs.js";
import { type BlobPaths, partOf } from "./blobPaths.js";
import type { DiskDraft } from "./draftState.js";
import { ifThere } from "./errors.js";
import { syncFolder } from "./folder.js";
import { statBlob } from "./read.js";
import { removeParts } from "./remove.js";
import { FileSink } from "./sink.js";
import { formatTrailer } from "./trailer.js";

/** Converts the file of a draft into a whole blob. Each step can be repeated. `undefined` if the draft is gone and was never completed. */
export async function completeDraft(place: BlobPaths, draft: DiskDraft): Promise<BlobStat | undefined> {
  const stat = (await finish(place, draft)) ?? (await statBlob(place));
  if (stat?.size !== draft.size) return undefined;
  await syncFolder(place.folder);
  await removeParts(place);
  return stat;
}

/** The other parts are removed first, so that a late writer cannot rename one of them to the blob. */
async function finish(place: BlobPaths, draft: DiskDraft): Promise<BlobStat | undefined> {
  const part = partOf(place, draft.part);
  const stat = await endFile(part, draft);
  if (stat === undefined) return undefined;
  await removeParts(place, part);
  const renamed = await ifThere(rename(part, place.file).then(() => true));
  return renamed ? stat : undefined;
}

/**
 * Writes the trailer. The trailer of a draft is always the same, so that writing it again, even to a file that is already the blob, changes nothing.
 *
 * @returns `undefined` if the file is gone
 */
async function endFile(part: string, draft: DiskDraft): Promise<BlobStat | undefined> {
  const handle = await ifThere(open(part, "r+"));
  if (handle === undefined) return undefined;
  const { size, contentType } = draft;
  const etag = etagOf(draft);
  try {
    if ((await handle.stat()).size < size) return undefined;
    const trailer = formatTrailer({ size, contentType, etag });
    const sink = new FileSink(handle, size);
    await sink.write(trailer);
    await sink.flush();
    await handle.truncate(size + trailer.length);
    await handle.datasync();
    return { size, contentType, etag, lastModified: new Date(Math.floor((await handle.stat()).mtimeMs)) };
  } finally {
    await handle.close();
  }
}

/** A file becomes a blob only once, so its id identifies its bytes. */
function etagOf({ part, size }: DiskDraft): string {
  return createHash("sha256").update(`${part} ${size}`).digest("base64url").slice(0, 22);
}
