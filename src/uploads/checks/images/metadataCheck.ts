import { requireLimits } from "../../../problem/index.js";
import type { FileCheck } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { scanCheck } from "../scanCheck.js";
import { stripMetadata, strippableTypes } from "./stripMetadata.js";

/** How large images may be that {@link metadataCheck} rewrites. */
export interface MetadataCheckOptions {
  /** Larger images are not taken; 67,108,864 unless given. They are held in memory. */
  readonly maxBytes?: number | undefined;
}

/**
 * Takes what is said about images out of JPEG, PNG and WebP: see {@link stripMetadata}. Other files pass as they are; damaged images are not taken.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * metadataCheck({ maxBytes: 20_000_000 });
 */
export function metadataCheck(options: MetadataCheckOptions = {}): FileCheck {
  requireLimits("metadataCheck", options, { maxBytes: true } satisfies Record<keyof MetadataCheckOptions, true>);
  const { maxBytes } = options;
  return scanCheck({
    name: "metadata",
    rewrites: true,
    types: strippableTypes,
    maxBytes,
    async scan(bytes, { detectedType = "" }) {
      const stripped = stripMetadata(bytes, detectedType);
      if (stripped === undefined) return reject("UNSCANNABLE", "The image is damaged: its metadata cannot be told from the image itself.");
      return Buffer.compare(stripped, bytes) === 0 ? undefined : { verdict: "replace", bytes: stripped };
    },
  });
}
