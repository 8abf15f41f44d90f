import { open } from "node:fs/promises";
import { type BlobPaths, partOf } from "./blobPaths.js";
import { bootId } from "./bootId.js";
import type { DiskDraft } from "./draftState.js";
import { ifThere } from "./errors.js";

/** The draft with all bytes of its file, made durable. `undefined` if the system has been restarted since, so that the file proves nothing, or if the file is gone. */
export async function recoverDraft(place: BlobPaths, draft: DiskDraft): Promise<DiskDraft | undefined> {
  if (draft.boot === undefined || draft.boot !== bootId()) return undefined;
  const handle = await ifThere(open(partOf(place, draft.part), "r+"));
  if (handle === undefined) return undefined;
  try {
    // A writer that still lives may go on meanwhile: what it adds after this is not counted.
    const { size } = await handle.stat();
    if (size < draft.size) return undefined;
    await handle.datasync();
    return { ...draft, size };
  } finally {
    await handle.close();
  }
}
