import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./commandError.js";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** The options of all commands. */
export const commonOptions = {
  header: { type: "string", multiple: true },
  token: { type: "string" },
  quiet: { type: "boolean", short: "q" },
  json: { type: "boolean" },
  wait: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const satisfies Options;

/**
 * Parses the arguments of a command.
 *
 * @throws {UsageError} for an unknown option
 */
export function parseCommandLine<const T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: joinValues(args, options), options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const unknown = /^Unknown option '(.+?)'/.exec(error.message)?.[1];
    const allowed = Object.keys(options).map((name) => `--${name}`);
    throw new UsageError(unknown === undefined ? error.message : `Unknown option "${unknown}"; allowed: ${allowed.join(", ")}.`, { cause: error });
  }
}

/** Joins `--sort -createdAt` to one argument, because `parseArgs` would read `-createdAt` as an option. */
function joinValues(args: readonly string[], options: Options): string[] {
  const joined: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? "";
    const next = args[index + 1];
    const takesNext = word === "--sort" && options["sort"]?.type === "string" && next?.startsWith("-") === true && !next.startsWith("--");
    joined.push(takesNext ? `${word}=${next}` : word);
    if (takesNext) index++;
  }
  return joined;
}

/** Parses the URL of an option or argument. @throws {UsageError} */
export function parseAddress(text: string, option: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new UsageError(`${option} must be an http or https URL; got "${text}".`);
  if (url.username !== "" || url.password !== "") throw new UsageError(`${option} must not contain credentials; use --token or --header.`);
  url.hash = "";
  return url;
}
