import { ChunkSealer, createDataKey } from "../../../../ground/secrets/sealedChunks.js";
import { secretBoxOf } from "../../../../ground/secrets/secretBox.js";
import type { Secrets } from "../../../../ground/secrets/secrets.js";
import type { FileTarget } from "./receiveFile.js";

/**
 * Seals a file while it is written to a blob, with a key of its own.
 *
 * @param key key of the blob
 */
export function sealedTarget(target: FileTarget, key: string, secrets: Secrets): FileTarget {
  const dataKey = createDataKey();
  const sealer = new ChunkSealer(dataKey);
  return {
    async write(bytes) {
      for (const chunk of sealer.add(bytes)) await target.write(chunk);
    },
    async commit() {
      await target.write(sealer.end());
      const stat = await target.commit();
      return stat && { ...stat, dataKey: secretBoxOf(secrets).seal(Buffer.from(dataKey).toString("base64"), contextOf(key)) };
    },
    abort: () => target.abort(),
  };
}

/**
 * The key of a sealed file.
 *
 * @param key key of the blob
 * @throws {SecretBoxError}
 */
export function openDataKey(dataKey: string, key: string, secrets: Secrets): Uint8Array {
  return Buffer.from(secretBoxOf(secrets).open(dataKey, contextOf(key)), "base64");
}

/** A key that is sealed for one blob cannot be used for another. */
function contextOf(key: string): string {
  return `blob ${key}`;
}
