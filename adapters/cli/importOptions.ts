import { UsageError } from "./commandError.js";
import { type FileFormat, readFormatOption } from "./fileFormat.js";
import { parseAddress } from "./parseAddress.js";
import { commonOptions, parseCommandLine } from "./parseCommandLine.js";
import { readRequestHeaders } from "./requestHeaders.js";

/** What an import is asked for on the command line. */
export interface ImportOptions {
  /** A path, or `-`. */
  readonly file: string | undefined;
  /** The import that is looked at, where its address was given instead of a file. */
  readonly job: URL | undefined;
  readonly to: URL | undefined;
  readonly format: FileFormat | undefined;
  readonly collection: string | undefined;
  /** As the service takes them. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** `new` for one that was never used. */
  readonly idempotencyKey: string | undefined;
  /** Where the rows that failed go. */
  readonly errors: string | undefined;
  readonly resume: boolean;
  readonly cancelOnInterrupt: boolean;
  readonly quiet: boolean;
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

type Values = ReturnType<typeof parse>["values"];

const parse = (args: readonly string[]) => parseCommandLine(args, definition);

/**
 * Reads the command line of an import; `help` where that is asked for.
 *
 * @throws {UsageError}
 */
export function parseImportOptions(args: readonly string[], variables: Readonly<Record<string, string | undefined>>): ImportOptions | "help" {
  const { values, positionals } = parse(args);
  if (values.help === true) return "help";
  const [source, ...others] = positionals;
  if (source === undefined || others.length > 0) throw new UsageError(`Name one file, or "-" for standard input; got ${positionals.length}.`);
  const job = /^https?:/i.test(source) ? parseAddress(source, "The address of an import") : undefined;
  if (job === undefined && values.to === undefined) throw new UsageError("--to is missing: the address of the imports, as https://host/imports.");
  if (values["idempotency-key"] !== undefined && values.resume === true)
    throw new UsageError("--resume sends no file, and takes no --idempotency-key.");
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
    json: values.json === true,
  };
}

/** What the values mean is the service's to judge: it says what is allowed. */
function parametersOf(values: Values): Readonly<Record<string, string>> {
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

/** A field has no `=` in its name, but a header may have. */
function mapOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.lastIndexOf("=");
      if (end <= 0 || end === pair.length - 1) throw new UsageError(`--map must be Header=field; got "${pair}".`);
      return [`map[${pair.slice(0, end)}]`, pair.slice(end + 1)];
    }),
  );
}
