import { basename } from "node:path";
import { parseFormat } from "../../src/capabilities/transfer/formats/transferFormat.js";
import { UsageError } from "./commandError.js";

/** The format of a file. */
export interface FileFormat {
  readonly format: NonNullable<ReturnType<typeof parseFormat>>;
  /** Value of the parameter `delimiter`, if the name implies one: `tsv` is CSV with tabs. */
  readonly delimiter?: string | undefined;
}

const tabs: FileFormat = { format: "csv", delimiter: "tab" };

/** The format with this name: `csv`, `tsv`, `ndjson`, `jsonl`, `json`. */
export function parseFileFormat(name: string): FileFormat | undefined {
  if (name === "tsv") return tabs;
  const format = parseFormat(name);
  return format && { format };
}

/** The format by the extension of a file, which may be followed by `.gz`; `undefined` if it is unknown. */
export function formatOfName(path: string): FileFormat | undefined {
  const extension = /\.([a-z]+)(?:\.gz)?$/.exec(basename(path).toLowerCase())?.[1];
  return extension === undefined ? undefined : parseFileFormat(extension);
}

/** Parses `--format`. @throws {UsageError} */
export function readFormatOption(name: string): FileFormat {
  const format = parseFileFormat(name);
  if (format === undefined) throw new UsageError(`--format must be csv, tsv, ndjson, jsonl or json; got "${name}".`);
  return format;
}
