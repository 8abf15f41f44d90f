import { type ParseArgsConfig, parseArgs } from "node:util";
import { UsageError } from "./commandError.js";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** What all commands take. */
export const commonOptions = {
  header: { type: "string", multiple: true },
  token: { type: "string" },
  quiet: { type: "boolean", short: "q" },
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const satisfies Options;

/**
 * Reads the arguments of a command.
 *
 * @throws {UsageError} for an option that it does not have
 */
export function parseCommandLine<const T extends Options>(args: readonly string[], options: T) {
  try {
    return parseArgs({ args: joinValues(args, options), options, allowPositionals: true, strict: true });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** `--sort -createdAt` is meant as it stands, although `parseArgs` would rather have it as one word. */
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
