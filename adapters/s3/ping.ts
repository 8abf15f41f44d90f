import { Unavailable } from "../../src/storage/errors.js";
import type { S3Api } from "./api.js";
import { finalError } from "./errors.js";

/**
 * Resolves when the bucket is there and these keys may see it. Asks once: who wants to know is not served by waiting.
 *
 * @throws {Unavailable}
 */
export async function ping(api: S3Api): Promise<void> {
  try {
    await api.sendOnce({ name: "HeadBucket", method: "HEAD" });
  } catch (error) {
    const final = finalError("HeadBucket", error);
    throw final instanceof Unavailable || !(final instanceof Error) ? final : new Unavailable(final.message, { cause: final });
  }
}
