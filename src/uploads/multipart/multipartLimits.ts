import { shown } from "../../problem/index.js";

/** How much a form may have. Sizes are bytes, times milliseconds; exactly that much is taken. */
export interface MultipartLimits {
  /** The whole body with everything between the parts → 413 TOTAL_TOO_LARGE. */
  readonly requestBytes: number;
  /** One file → 413 FILE_TOO_LARGE. */
  readonly fileBytes: number;
  /** → 413 TOO_MANY_FILES. */
  readonly files: number;
  /** → 413 TOO_MANY_FIELDS. */
  readonly fields: number;
  /** Files and fields together → 413 TOO_MANY_PARTS. */
  readonly parts: number;
  /** The value of one field → 413 FIELD_TOO_LARGE. */
  readonly fieldBytes: number;
  /** The values of all fields → 413 FIELD_TOO_LARGE. */
  readonly allFieldsBytes: number;
  /** The name of a part in UTF-8 → 413 FIELD_TOO_LARGE. */
  readonly nameBytes: number;
  /** Longest silence of the client while a chunk is waited for → 408 REQUEST_TIMEOUT. */
  readonly stallMs: number;
  /** Least that the client must send in a second, on average, when it was waited for longer than a minute → 408 REQUEST_TIMEOUT. */
  readonly bytesPerSecond: number;
}

/** The limits that hold where no others are given. */
export const defaultMultipartLimits: MultipartLimits = {
  requestBytes: 104_857_600,
  fileBytes: 26_214_400,
  files: 20,
  fields: 100,
  parts: 120,
  fieldBytes: 1_048_576,
  allFieldsBytes: 4_194_304,
  nameBytes: 200,
  stallMs: 30_000,
  bytesPerSecond: 1_024,
};

/**
 * The defaults with the changes.
 *
 * @throws {RangeError} for a name that there is not, and for a limit that is no whole number of at least 0, of `stallMs` at least 1
 */
export function multipartLimits(changes: { readonly [name in keyof MultipartLimits]?: number | undefined }): MultipartLimits {
  const unknown = Object.keys(changes).find((name) => !Object.hasOwn(defaultMultipartLimits, name));
  if (unknown !== undefined) throw new RangeError(`A form has no limit "${unknown}"; there are: ${limitNames.join(", ")}.`);
  const limits: { -readonly [name in keyof MultipartLimits]: number } = { ...defaultMultipartLimits };
  for (const name of limitNames) {
    const limit = changes[name] ?? limits[name];
    const least = name === "stallMs" ? 1 : 0;
    if (!Number.isSafeInteger(limit) || limit < least) {
      throw new RangeError(`The limit "${name}" of a form must be a whole number of at least ${least}; got ${shown(limit)}.`);
    }
    limits[name] = limit;
  }
  return limits;
}

const limitNames = Object.keys(defaultMultipartLimits) as (keyof MultipartLimits)[];
