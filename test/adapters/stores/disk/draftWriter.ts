import { diskBlobs } from "../../../../adapters/disk.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";

/**
 * Goes on with a draft on disk until it is killed, in bytes of one value, and prints the draft after each flush. When its draft is gone it prints what it was told
 * and ends.
 */
const { BLOBS_PATH = "", BLOB_KEY = "", BLOB_DRAFT = "", BLOB_VALUE = "1" } = process.env;
const writer = await diskBlobs({ path: BLOBS_PATH }).drafts?.resume(BLOB_KEY, JSON.parse(BLOB_DRAFT));
if (writer === undefined) throw new Error("There is no such draft.");

try {
  for (;;) {
    for (let chunk = 0; chunk < 20; chunk++) await writer.write(Buffer.alloc(50_001, Number(BLOB_VALUE)));
    process.stdout.write(`${JSON.stringify(await writer.flush())}\n`);
  }
} catch (error) {
  if (!(error instanceof Unavailable)) throw error;
  process.stdout.write(`${JSON.stringify({ refused: error.message })}\n`);
} finally {
  await writer.close();
}
