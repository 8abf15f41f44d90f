import { diskBlobs } from "restwright/disk";
import { parseMultipart, releaseChunk } from "restwright/uploads";
import { leaveSyncOut } from "../leaveSyncOut.js";
import { type FormPlaces, listen, taking } from "./listen.js";

/** As the documentation says: files go to a store of blobs, and are committed when the form is whole. */
export async function restwrightForms({ folder }: FormPlaces, isSynced: boolean): Promise<number> {
  if (!isSynced) await leaveSyncOut(folder);
  const blobs = diskBlobs({ path: folder });
  let kept = 0;
  return listen(
    taking(async (request) => {
      const writers = [];
      for await (const part of parseMultipart(request, { requestBytes: Number.MAX_SAFE_INTEGER, fileBytes: Number.MAX_SAFE_INTEGER })) {
        if (part.kind !== "file") continue;
        const writer = await blobs.open(`file-${kept++}`);
        for await (const chunk of part.bytes) await writer.write(chunk, releaseChunk);
        writers.push(writer);
      }
      for (const writer of writers) await writer.commit();
    }),
  );
}
