import { UsageError } from "../commandError.js";
import { formatOfName, parseFileFormat, readFormatOption } from "../fileFormat.js";
import { commonOptions, parseAddress, parseCommandLine } from "../parseCommandLine.js";
import { readRequestHeaders } from "../request/requestHeaders.js";

/** The command line of an export. */
export interface ExportOptions {
  /** URL of the exports, of one export, or of the stream of a collection. */
  readonly from: URL;
  readonly source: "exports" | "job" | "stream";
  /** The members of the request: collection, filter, format. */
  readonly request: Readonly<Record<string, unknown>>;
  /** A path, or `-`. */
  readonly out: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly quiet: boolean;
  readonly waits: boolean;
  readonly json: boolean;
}

const definition = {
  ...commonOptions,
  from: { type: "string" },
  collection: { type: "string" },
  format: { type: "string" },
  filter: { type: "string" },
  sort: { type: "string" },
  fields: { type: "string" },
  delimiter: { type: "string" },
  formulas: { type: "string" },
  gzip: { type: "boolean" },
  out: { type: "string" },
} as const;

type ExportFlags = ReturnType<typeof parse>["values"];

const parse = (args: readonly string[]) => parseCommandLine(args, definition);

/**
 * Parses the command line of an export; returns `help` for `--help`.
 *
 * @throws {UsageError}
 */
export function parseExportOptions(args: readonly string[], variables: Readonly<Record<string, string | undefined>>): ExportOptions | "help" {
  const { values, positionals } = parse(args);
  if (values.help === true) return "help";
  if (positionals.length > 0) throw new UsageError(`An export takes options only; got "${positionals[0]}".`);
  if (values.from === undefined) throw new UsageError("--from is missing: the URL of the exports, such as https://host/exports.");
  if (values.out === undefined) throw new UsageError('--out is missing: a path, or "-" for standard output.');
  if (values.json === true && values.out === "-") throw new UsageError("--json and --out - would both write to standard output.");
  const from = parseAddress(values.from, "--from");
  const source = sourceOf(from);
  return {
    from,
    source,
    request: requestOf(values, source, values.out),
    out: values.out,
    headers: readRequestHeaders(values.header ?? [], values.token ?? variables["RESTWRIGHT_TOKEN"]),
    quiet: values.quiet === true,
    waits: values.wait === true,
    json: values.json === true,
  };
}

function sourceOf({ pathname }: URL): ExportOptions["source"] {
  if (/\/exports\/?$/.test(pathname)) return "exports";
  return /\/export\/?$/.test(pathname) ? "stream" : "job";
}

function requestOf(values: ExportFlags, source: ExportOptions["source"], out: string): Readonly<Record<string, unknown>> {
  const { collection, filter, sort, fields, delimiter, formulas, gzip } = values;
  const given = { collection, filter, sort, fields, delimiter, formulas, gzip, format: values.format };
  if (source === "job") return refuse(given, "The export already exists; its options cannot be changed");
  const named = values.format === undefined ? formatOfName(out) : readFormatOption(values.format);
  const common = { sort, fields, formulas, format: named?.format, delimiter: delimiter ?? named?.delimiter };
  if (source === "stream") {
    refuse({ collection, filter, gzip }, "The URL names the collection, and its query the filter");
    return defined(common);
  }
  if (collection === undefined) throw new UsageError("--collection is missing: the collection to export.");
  return defined({
    ...common,
    collection,
    filter: filter === undefined ? undefined : parseFilter(filter),
    gzip: gzip ?? (isCompressedName(out) || undefined),
  });
}

function isCompressedName(out: string): boolean {
  return out.endsWith(".gz") && parseFileFormat(out.slice(0, -3).split(".").at(-1) ?? "") !== undefined;
}

function parseFilter(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`--filter must be JSON, such as {"status":"active"}: ${(cause as Error).message}.`, { cause });
  }
}

function refuse(given: Readonly<Record<string, unknown>>, why: string): Readonly<Record<string, never>> {
  const [name] = Object.keys(defined(given));
  if (name !== undefined) throw new UsageError(`--${name} is not possible here. ${why}.`);
  return {};
}

function defined(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
