import { diskBlobs } from "../../../../adapters/disk.js";

/** Writes blobs on disk until it is killed. With a key it begins one and never commits; without one it commits blob after blob, and prints the key of each. */
const { BLOBS_PATH = "", BLOB_KEY = "", BLOB_BYTES = "0" } = process.env;
const blobs = diskBlobs({ path: BLOBS_PATH });

if (BLOB_KEY !== "") {
  const writer = await blobs.open(BLOB_KEY);
  for (let rest = Number(BLOB_BYTES); rest > 0; rest -= 65_536) await writer.write(Buffer.alloc(Math.min(rest, 65_536), 1));
  process.stdout.write(`${BLOB_KEY}\n`);
  setInterval(() => {}, 60_000);
} else {
  for (let number = 0; ; number++) {
    const writer = await blobs.open(`blob-${number}`, { contentType: `text/${number}` });
    for (let chunk = 0; chunk < 5; chunk++) await writer.write(Buffer.alloc(50_000, number));
    await writer.commit();
    process.stdout.write(`blob-${number}\n`);
  }
}
