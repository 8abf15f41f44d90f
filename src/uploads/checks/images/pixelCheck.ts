import { ByteCollector } from "../../../http/byteCollector.js";
import { requireLimits } from "../../../problem/index.js";
import { type CheckInput, type FileCheck, pass } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { type ImageSize, imageSize } from "./imageSize.js";

/** How large images may be for {@link pixelCheck}. */
export interface PixelCheckOptions {
  /** Width times height; 100,000,000 unless given, which take 400 MB when they are decoded. */
  readonly maxPixels?: number | undefined;
  /** In pixels; any unless given. */
  readonly maxWidth?: number | undefined;
  /** In pixels; any unless given. */
  readonly maxHeight?: number | undefined;
}

/** Photographs may have some hundred kilobytes in front of their size, never so much. */
const mostBytes = 16_777_216;

/**
 * Takes images only that say they have no more pixels than this. Images whose size cannot be read are not taken; what is no image, and SVG, passes.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * pixelCheck({ maxPixels: 50_000_000, maxWidth: 10_000 });
 */
export function pixelCheck(options: PixelCheckOptions = {}): FileCheck {
  requireLimits("pixelCheck", options, { maxPixels: true, maxWidth: true, maxHeight: true } satisfies Record<keyof PixelCheckOptions, true>);
  const { maxPixels = 100_000_000, maxWidth, maxHeight } = options;
  return {
    name: "pixels",
    needs: "stream",
    async run(input) {
      if (!input.detectedType?.startsWith("image/") || input.detectedType === "image/svg+xml") return pass;
      const size = imageSize(input.head) ?? (await sizeBehindHead(input));
      if (size === undefined)
        return reject("UNSCANNABLE", "The size of the image cannot be read: it is damaged, or of a kind whose size is not known here.");
      const { width, height } = size;
      if (width * height <= maxPixels && width <= (maxWidth ?? width) && height <= (maxHeight ?? height)) return pass;
      const most = [`${maxPixels} pixels`, maxWidth && `a width of ${maxWidth}`, maxHeight && `a height of ${maxHeight}`].filter(Boolean).join(", ");
      const limits = { max: maxPixels, ...(maxWidth && { maxWidth }), ...(maxHeight && { maxHeight }) };
      return reject("IMAGE_TOO_LARGE", `The image has ${width} by ${height} pixels; the most are ${most}.`, { ...limits, width, height });
    },
  };
}

/** Looks again each time twice as much has come. */
async function sizeBehindHead({ head, size = Number.POSITIVE_INFINITY, read }: CheckInput): Promise<ImageSize | undefined> {
  if (size <= head.length) return undefined;
  const collected = new ByteCollector();
  let next = 2 * head.length;
  for await (const chunk of read({ start: 0, end: Math.min(size, mostBytes) })) {
    collected.add(chunk);
    if (collected.length < next) continue;
    const found = imageSize(collected.bytes());
    if (found !== undefined || collected.length >= mostBytes) return found;
    next = 2 * collected.length;
  }
  return imageSize(collected.bytes());
}
