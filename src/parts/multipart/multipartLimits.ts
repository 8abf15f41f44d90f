import { type Shape, whole } from "../../ground/options/index.js";

/** Limits of a form. Sizes are in bytes, times in milliseconds; values equal to a limit are accepted. */
export interface MultipartLimits {
  /** The whole body, including boundaries and headers of parts → 413 TOTAL_TOO_LARGE. */
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
  /** Longest wait for the next chunk → 408 REQUEST_TIMEOUT. */
  readonly stallMs: number;
  /** Minimum number of bytes per second, on average over `stallMs` → 408 REQUEST_TIMEOUT. */
  readonly bytesPerSecond: number;
}

/** The default limits. */
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

/** The schemas of the limits: `stallMs` is at least 1. */
export function multipartLimitShape(): Shape<MultipartLimits> {
  const names = Object.keys(defaultMultipartLimits) as (keyof MultipartLimits)[];
  return Object.fromEntries(names.map((name) => [name, whole(name === "stallMs" ? 1 : 0)])) as unknown as Shape<MultipartLimits>;
}

/** Merges validated changes into the defaults. */
export function multipartLimits(changes: { readonly [name in keyof MultipartLimits]?: number | undefined }): MultipartLimits {
  const given = Object.entries(changes).filter(([, limit]) => limit !== undefined);
  return { ...defaultMultipartLimits, ...Object.fromEntries(given) };
}
