import { UsageError } from "../commandError.js";
import { type FileFormat, readFormatOption } from "../fileFormat.js";
import { commonOptions, parseAddress, parseCommandLine } from "../parseCommandLine.js";
import { readRequestHeaders } from "../request/requestHeaders.js";

/** The command line of an import. */
export interface ImportOptions {
  /** A path, or `-`. */
  readonly file: string | undefined;
  /** URL of the import to follow, if the argument is a URL instead of a file. */
  readonly job: URL | undefined;
  readonly to: URL | undefined;
  readonly format: FileFormat | undefined;
  readonly collection: string | undefined;
  /** Query parameters of the request. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** `new` stands for a random key. */
  readonly idempotencyKey: string | undefined;
  /** Path of the error report. */
  readonly errors: string | undefined;
  readonly resume: boolean;
  readonly cancelOnInterrupt: boolean;
  readonly quiet: boolean;
  readonly waits: boolean;
  readonly json: boolean;
}

const definition = {
  ...commonOptions,
  to: { type: "string" },
  collection: { type: "string" },
  format: { type: "string" },
  mode: { type: "string" },
  key: { type: "string" },
  "on-error": { type: "string" },
  "max-errors": { type: "string" },
  "dry-run": { type: "boolean" },
  map: { type: "string", multiple: true },
  "unknown-columns": { type: "string" },
  delimiter: { type: "string" },
  offset: { type: "string" },
  "skip-unchanged": { type: "boolean" },
  formulas: { type: "string" },
  "idempotency-key": { type: "string" },
  errors: { type: "string" },
  resume: { type: "boolean" },
  "cancel-on-interrupt": { type: "boolean" },
} as const;

type ImportFlags = ReturnType<typeof parse>["values"];

const parse = (args: readonly string[]) => parseCommandLine(args, definition);

/**
 * Parses the command line of an import; returns `help` for `--help`.
 *
 * @throws {UsageError}
 */
export function parseImportOptions(args: readonly string[], variables: Readonly<Record<string, string | undefined>>): ImportOptions | "help" {
  const { values, positionals } = parse(args);
  if (values.help === true) return "help";
  const [source, ...others] = positionals;
  if (source === undefined || others.length > 0) throw new UsageError(`Name one file, or "-" for standard input; got ${positionals.length}.`);
  const job = /^https?:/i.test(source) ? parseAddress(source, "The URL of an import") : undefined;
  if (job === undefined && values.to === undefined) throw new UsageError("--to is missing: the URL of the imports, such as https://host/imports.");
  if (values["idempotency-key"] !== undefined && values.resume === true) throw new UsageError("--resume sends no file; remove --idempotency-key.");
  return {
    file: job === undefined ? source : undefined,
    job,
    to: values.to === undefined ? undefined : parseAddress(values.to, "--to"),
    format: values.format === undefined ? undefined : readFormatOption(values.format),
    collection: values.collection,
    parameters: { ...parametersOf(values), ...mapOf(values.map ?? []) },
    headers: readRequestHeaders(values.header ?? [], values.token ?? variables["RESTWRIGHT_TOKEN"]),
    idempotencyKey: values["idempotency-key"],
    errors: values.errors,
    resume: values.resume === true,
    cancelOnInterrupt: values["cancel-on-interrupt"] === true,
    quiet: values.quiet === true,
    waits: values.wait === true,
    json: values.json === true,
  };
}

/** The service validates the values; its problem tells which are allowed. */
function parametersOf(values: ImportFlags): Readonly<Record<string, string>> {
  const given = {
    mode: values.mode,
    key: values.key,
    onError: values["on-error"],
    maxErrors: values["max-errors"],
    dryRun: values["dry-run"] === true ? "true" : undefined,
    unknownColumns: values["unknown-columns"],
    delimiter: values.delimiter,
    offset: values.offset,
    skipUnchanged: values["skip-unchanged"] === true ? "true" : undefined,
    formulas: values.formulas,
  };
  return Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

/** Splits at the last `=`: a column may have one in its name, a field has none. */
function mapOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.lastIndexOf("=");
      if (end <= 0 || end === pair.length - 1) throw new UsageError(`--map must be Header=field; got "${pair}".`);
      return [`map[${pair.slice(0, end)}]`, pair.slice(end + 1)];
    }),
  );
}
