import type { TransferFormat } from "../rows.js";

/** The names of a format. */
interface FormatNames {
  /** Media type of responses. */
  readonly mediaType: string;
  /** Other media types that requests may have. */
  readonly otherTypes: readonly string[];
  /** Extension of file names, without a dot. */
  readonly extension: string;
}

/** All formats. NDJSON has no registered media type, so several are in use. */
export const formats: Readonly<Record<TransferFormat, FormatNames>> = {
  csv: { mediaType: "text/csv", otherTypes: ["application/csv"], extension: "csv" },
  ndjson: {
    mediaType: "application/x-ndjson",
    otherTypes: ["application/ndjson", "application/jsonl", "application/x-jsonlines"],
    extension: "ndjson",
  },
  json: { mediaType: "application/json", otherTypes: [], extension: "json" },
};

const names: readonly TransferFormat[] = ["csv", "ndjson", "json"];

/** The media types that are accepted for files. */
export const transferTypes: readonly string[] = /* @__PURE__ */ names.flatMap((name) => [formats[name].mediaType, ...formats[name].otherTypes]);

/** The format of a media type, which is in lower case and without parameters; `undefined` if it is unknown. */
export function formatOfType(mediaType: string): TransferFormat | undefined {
  return names.find((name) => formats[name].mediaType === mediaType || formats[name].otherTypes.includes(mediaType));
}

/** The format with this name: `csv`, `ndjson`, `json`, or `jsonl` for NDJSON; `undefined` if it is unknown. */
export function parseFormat(name: string): TransferFormat | undefined {
  return name === "jsonl" ? "ndjson" : names.find((known) => known === name);
}
