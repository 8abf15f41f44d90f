import { closest } from "../../../src/ground/problem/closest.js";
import { UsageError } from "../commandError.js";
import { parseCommandLine } from "../parseCommandLine.js";
import { type Choices, hosts, languages, stores } from "./choices.js";
import { parsePackageName } from "./packageName.js";

/** What the command line says of a project; what is missing is asked for, or has a default. */
export interface InitOptions extends Partial<Choices> {
  readonly folder?: string | undefined;
  readonly name?: string | undefined;
  /** Nothing is asked for. */
  readonly yes: boolean;
  readonly help: boolean;
}

/**
 * Parses the arguments of `restwright init`.
 *
 * @throws {UsageError}
 */
export function parseInitOptions(args: readonly string[]): InitOptions {
  const { values, positionals } = parseCommandLine(args, {
    host: { type: "string" },
    store: { type: "string" },
    typescript: { type: "boolean" },
    javascript: { type: "boolean" },
    name: { type: "string" },
    yes: { type: "boolean", short: "y" },
    help: { type: "boolean", short: "h" },
  });
  const { host, store, name, yes = false, help = false } = values;
  const [folder, ...others] = positionals;
  if (folder === "" || others.length > 0)
    throw new UsageError(`Name one folder for the project; got ${positionals.map((each) => `"${each}"`).join(", ")}.`);
  const named = languages.filter((language) => values[language] === true);
  if (named.length > 1) throw new UsageError("Name --typescript or --javascript, not both.");
  return {
    folder,
    help,
    yes,
    ...(host !== undefined && { host: parseChoice(host, hosts, "--host") }),
    ...(store !== undefined && { store: parseChoice(store, stores, "--store") }),
    ...(named[0] !== undefined && { language: named[0] }),
    ...(name !== undefined && { name: parsePackageName(name) }),
  };
}

/**
 * The choice that a text names.
 *
 * @param subject what the text is, for the message: `--host`
 * @throws {UsageError} with the nearest choice
 */
export function parseChoice<T extends string>(text: string, choices: readonly T[], subject: string): T {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const near = closest(text, choices);
  const hint = near === undefined ? "" : ` Did you mean "${near}"?`;
  throw new UsageError(`${subject} must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}; got "${text}".${hint}`);
}
