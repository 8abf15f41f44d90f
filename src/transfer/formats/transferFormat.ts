import type { TransferFormat } from "../rows.js";

/** What a format is called. */
interface FormatNames {
  /** That it is sent as. */
  readonly mediaType: string;
  /** Others that it is taken as. */
  readonly otherTypes: readonly string[];
  /** Of file names, without a dot. */
  readonly extension: string;
}

/** All formats. NDJSON has no registered media type, hence so many. */
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

/** The media types that a file may be sent as. */
export const transferTypes: readonly string[] = names.flatMap((name) => [formats[name].mediaType, ...formats[name].otherTypes]);

/** The format of a media type, in lower case and without parameters; `undefined` where it is none. */
export function formatOfType(mediaType: string): TransferFormat | undefined {
  return names.find((name) => formats[name].mediaType === mediaType || formats[name].otherTypes.includes(mediaType));
}

/** The format that a parameter names: `csv`, `ndjson`, `json`, or `jsonl` for NDJSON; `undefined` where it names none. */
export function parseFormat(name: string): TransferFormat | undefined {
  return name === "jsonl" ? "ndjson" : names.find((known) => known === name);
}
