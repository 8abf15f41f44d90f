import { optionsCheck, strict, whole } from "../../../ground/options/index.js";
import type { FileCheck } from "../fileCheck.js";
import { scanCheck } from "../scanCheck.js";
import { sanitizeSvg } from "./sanitizeSvg.js";

/** Options of {@link svgCheck}. */
export interface SvgCheckOptions {
  /** Larger drawings are rejected, because they are held in memory. Defaults to 16,777,216. */
  readonly maxBytes?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("svgCheck", () => strict<SvgCheckOptions>({ maxBytes: whole(1) }));

const types: ReadonlySet<string> = new Set(["image/svg+xml"]);

/**
 * Replaces SVG with the result of {@link sanitizeSvg}; other files pass. Needs the package `saxes`.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * svgCheck({ maxBytes: 1_000_000 });
 */
export function svgCheck(options: SvgCheckOptions = {}): FileCheck {
  check(options);
  const { maxBytes = 16_777_216 } = options;
  return scanCheck({
    name: "svg",
    rewrites: true,
    types,
    maxBytes,
    scan: async (bytes, { signal }) => ({ verdict: "replace", bytes: await sanitizeSvg(bytes, signal) }),
  });
}
