import { ByteCollector } from "../../../ground/http/body/byteCollector.js";
import { optionsCheck, strict, whole } from "../../../ground/options/index.js";
import { type CheckInput, type FileCheck, pass } from "../fileCheck.js";
import { reject } from "../rejection.js";
import { type ImageSize, imageSize } from "./imageSize.js";

/** Options of {@link pixelCheck}. */
export interface PixelCheckOptions {
  /** Width times height. Defaults to 100,000,000, which take 400 MB when decoded. */
  readonly maxPixels?: number | undefined;
  /** In pixels. Defaults to no limit. */
  readonly maxWidth?: number | undefined;
  /** In pixels. Defaults to no limit. */
  readonly maxHeight?: number | undefined;
}

const check = /* @__PURE__ */ optionsCheck("pixelCheck", () =>
  strict<PixelCheckOptions>({ maxPixels: whole(1), maxWidth: whole(1), maxHeight: whole(1) }),
);

/** Photographs may have some hundred kilobytes before their size, never this much. */
const maxBytes = 16_777_216;

/**
 * Accepts images with at most this many pixels, by their headers. Images whose size cannot be read are rejected; SVG and other files pass.
 *
 * @throws {ConfigurationError} for options that cannot work
 * @example
 * pixelCheck({ maxPixels: 50_000_000, maxWidth: 10_000 });
 */
export function pixelCheck(options: PixelCheckOptions = {}): FileCheck {
  check(options);
  const { maxPixels = 100_000_000, maxWidth, maxHeight } = options;
  return {
    name: "pixels",
    needs: "stream",
    async run(input) {
      if (!input.detectedType?.startsWith("image/") || input.detectedType === "image/svg+xml") return pass;
      const size = imageSize(input.head) ?? (await sizeBehindHead(input));
      if (size === undefined)
        return reject("UNSCANNABLE", "The size of the image cannot be read: the image is damaged, or its format is not supported.");
      const { width, height } = size;
      if (width * height <= maxPixels && width <= (maxWidth ?? width) && height <= (maxHeight ?? height)) return pass;
      const most = [`${maxPixels} pixels`, maxWidth && `a width of ${maxWidth}`, maxHeight && `a height of ${maxHeight}`].filter(Boolean).join(", ");
      const limits = { max: maxPixels, ...(maxWidth && { maxWidth }), ...(maxHeight && { maxHeight }) };
      return reject("IMAGE_TOO_LARGE", `The image has ${width} by ${height} pixels; allowed: ${most}.`, { ...limits, width, height });
    },
  };
}

/** Reads the size again each time the number of bytes has doubled. */
async function sizeBehindHead({ head, size = Number.POSITIVE_INFINITY, read }: CheckInput): Promise<ImageSize | undefined> {
  if (size <= head.length) return undefined;
  const collected = new ByteCollector();
  let next = 2 * head.length;
  for await (const chunk of read({ start: 0, end: Math.min(size, maxBytes) })) {
    collected.add(chunk);
    if (collected.length < next) continue;
    const found = imageSize(collected.bytes());
    if (found !== undefined || collected.length >= maxBytes) return found;
    next = 2 * collected.length;
  }
  return imageSize(collected.bytes());
}
