import { requireLimits } from "../../../problem/index.js";
import type { FileCheck } from "../fileCheck.js";
import { scanCheck } from "../scanCheck.js";
import { sanitizeSvg } from "./sanitizeSvg.js";

/** How large drawings may be that {@link svgCheck} rewrites. */
export interface SvgCheckOptions {
  /** Larger drawings are not taken; 16,777,216 unless given. They are held in memory. */
  readonly maxBytes?: number | undefined;
}

const types: ReadonlySet<string> = new Set(["image/svg+xml"]);

/**
 * Keeps SVG as what {@link sanitizeSvg} makes of it; other files pass. The package `saxes` has to be installed.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * svgCheck({ maxBytes: 1_000_000 });
 */
export function svgCheck(options: SvgCheckOptions = {}): FileCheck {
  requireLimits("svgCheck", options, { maxBytes: true } satisfies Record<keyof SvgCheckOptions, true>);
  const { maxBytes = 16_777_216 } = options;
  return scanCheck({
    name: "svg",
    rewrites: true,
    types,
    maxBytes,
    scan: async (bytes, { signal }) => ({ verdict: "replace", bytes: await sanitizeSvg(bytes, signal) }),
  });
}
