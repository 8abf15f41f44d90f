import { optionsCheck, strict, whole } from "../../../ground/options/index.js";
import type { FileCheck } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { scanCheck } from "../scanCheck.js";
import { stripMetadata, strippableTypes } from "./stripMetadata.js";

/** Options of {@link metadataCheck}. */
export interface MetadataCheckOptions {
  /** Larger images are rejected, because they are held in memory. Defaults to 67,108,864. */
  readonly maxBytes?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("metadataCheck", () => strict<MetadataCheckOptions>({ maxBytes: whole(1) }));

/**
 * Removes metadata from JPEG, PNG and WebP: see {@link stripMetadata}. Other files pass unchanged; damaged images are rejected.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * metadataCheck({ maxBytes: 20_000_000 });
 */
export function metadataCheck(options: MetadataCheckOptions = {}): FileCheck {
  check(options);
  const { maxBytes } = options;
  return scanCheck({
    name: "metadata",
    rewrites: true,
    types: strippableTypes,
    maxBytes,
    async scan(bytes, { detectedType = "" }) {
      const stripped = stripMetadata(bytes, detectedType);
      if (stripped === undefined) return reject("UNSCANNABLE", "The image is damaged: its metadata cannot be separated from the image data.");
      return Buffer.compare(stripped, bytes) === 0 ? undefined : { verdict: "replace", bytes: stripped };
    },
  });
}
