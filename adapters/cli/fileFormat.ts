import { basename } from "node:path";
import { parseFormat } from "../../src/transfer/formats/transferFormat.js";
import { UsageError } from "./commandError.js";

/** How the rows of a file are written. */
export interface FileFormat {
  readonly format: NonNullable<ReturnType<typeof parseFormat>>;
  /** As the parameter of the service says it, where the name of the file or of the format does. */
  readonly delimiter?: string | undefined;
}

const tabs: FileFormat = { format: "csv", delimiter: "tab" };

/** The format of a name: `csv`, `tsv`, `ndjson`, `jsonl`, `json`. */
export function parseFileFormat(name: string): FileFormat | undefined {
  if (name === "tsv") return tabs;
  const format = parseFormat(name);
  return format && { format };
}

/** The format that the name of a file tells, compressed or not; `undefined` where it tells none. */
export function formatOfName(path: string): FileFormat | undefined {
  const extension = /\.([a-z]+)(?:\.gz)?$/.exec(basename(path).toLowerCase())?.[1];
  return extension === undefined ? undefined : parseFileFormat(extension);
}

/** What `--format` says. @throws {UsageError} */
export function readFormatOption(name: string): FileFormat {
  const format = parseFileFormat(name);
  if (format === undefined) throw new UsageError(`--format must be csv, tsv, ndjson, jsonl or json; got "${name}".`);
  return format;
}
