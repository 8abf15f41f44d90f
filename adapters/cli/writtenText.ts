import { readFile, writeFile } from "node:fs/promises";
import { UsageError } from "./commandError.js";
import { printableLines } from "./terminal/printable.js";
import type { Terminal } from "./terminal/terminal.js";

/** Where a text goes: to standard output unless one of both is given. */
export interface WrittenTo {
  /** Path of the file to write. */
  readonly out: string | undefined;
  /** Path of the file to compare with. */
  readonly check: string | undefined;
}

/** @throws {UsageError} if both are given */
export function checkWrittenTo({ out, check }: WrittenTo): void {
  if (out !== undefined && check !== undefined) throw new UsageError("Name --out or --check, not both.");
}

/**
 * Prints a text, writes it to a file, or compares it with one.
 *
 * @param what the text is called in messages: `The document`
 * @returns the exit code: 1 if the file differs
 */
export async function writeText(text: string, what: string, { out, check }: WrittenTo, terminal: Terminal): Promise<number> {
  if (check !== undefined) return compare(text, what, check, terminal);
  if (out === undefined) terminal.stdout.write(terminal.stdout.isTTY === true ? printableLines(text) : text);
  else await writeFile(out, text);
  return 0;
}

async function compare(text: string, what: string, file: string, terminal: Terminal): Promise<number> {
  const [made, kept] = [text.split("\n"), (await readFile(file, "utf8")).split("\n")];
  const line = made.findIndex((each, index) => each !== kept[index]);
  const first = line === -1 && kept.length > made.length ? made.length : line;
  if (first === -1) return 0;
  terminal.stderr.write(
    printableLines(
      `${what} differs from "${file}" from line ${first + 1} on:\n- ${kept[first] ?? ""}\n+ ${made[first] ?? ""}\nWrite it with --out ${file}\n`,
    ),
  );
  return 1;
}
