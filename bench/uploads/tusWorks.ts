import { Connection } from "../tools/connection.js";
import { claimMemory } from "./claimMemory.js";
import type { UploadWork } from "./measureUploads.js";
import { requireStored } from "./storedFiles.js";
import { type BegunUpload, offsetOf, removeUpload, sendInPieces } from "./tusClient.js";
import type { UploadEntrant } from "./uploadEntrant.js";

/** How much is sent in one round, in which pieces. */
export interface TusAmount {
  readonly bytes: number;
  readonly chunkBytes: number;
}

/** Files in pieces; of several at once each has its share of the bytes. */
export function tusWorks(entrants: readonly UploadEntrant[], { bytes, chunkBytes }: TusAmount, atOnce: number): readonly UploadWork[] {
  const share = Math.ceil(bytes / atOnce);
  return entrants.map(({ name, server, folder }) => {
    let uploads: readonly BegunUpload[] = [];
    return {
      name,
      server,
      prepare: () => claimMemory(folder, bytes),
      async send() {
        uploads = await Promise.all(Array.from({ length: atOnce }, () => sendInPieces(server.port, share, chunkBytes)));
      },
      async clear() {
        await requireStored(folder, atOnce, share);
        await removeWhole(server.port, uploads);
        await requireStored(folder, 0, share);
      },
    };
  });
}

/** Has each take, and remove, a small file. */
export async function requireTus(entrants: readonly UploadEntrant[]): Promise<void> {
  for (const { clear, send } of tusWorks(entrants, { bytes: 65_537, chunkBytes: 40_000 }, 1)) {
    await send();
    await clear();
  }
}

/** @throws {Error} for one that is not whole */
async function removeWhole(port: number, uploads: readonly BegunUpload[]): Promise<void> {
  const connection = await Connection.open(port);
  try {
    for (const upload of uploads) {
      const offset = await offsetOf(connection, upload);
      if (offset !== upload.bytes) throw new Error(`${upload.path} has ${offset} bytes, not ${upload.bytes}.`);
      await removeUpload(connection, upload);
    }
  } finally {
    connection.close();
  }
}
