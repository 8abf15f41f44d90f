import { createInterface } from "node:readline";
import { Interrupted, UsageError } from "../commandError.js";
import type { Terminal } from "../terminal/terminal.js";
import { type Choices, hosts, languages, stores } from "./choices.js";
import { type InitOptions, parseChoice } from "./initOptions.js";

/** The choices of those who make none. */
export const defaults = { host: "express", store: "sqlite", language: "typescript" } as const satisfies Choices;

const defaultFolder = "my-api";

/** The folder and the choices for a project. */
export interface Answers extends Choices {
  readonly folder: string;
}

/**
 * Asks on the terminal for what the command line does not say. An empty line takes the default, an unknown word is asked for again.
 *
 * @throws {Interrupted} after Ctrl-C, or when the input ends
 */
export async function askChoices(given: InitOptions, { stdin, stderr, interruption }: Terminal): Promise<Answers> {
  const lines = createInterface({ input: stdin, output: stderr, terminal: stderr.isTTY === true, signal: interruption });
  // readline takes Ctrl-C from a terminal, so that the process gets no signal.
  lines.once("SIGINT", () => lines.close());
  let isOpen = true;
  lines.once("close", () => {
    isOpen = false;
  });
  // Keeps lines that are pasted before their question; `question` of readline would lose them.
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (question: string, fallback: string): Promise<string> => {
    const prompt = `${question} (${fallback}): `;
    lines.setPrompt(prompt);
    // The input may have ended while its lines are still to be read; readline then refuses to prompt.
    if (isOpen) lines.prompt();
    else stderr.write(prompt);
    const { done, value } = await answers.next();
    if (done !== true) return value.trim() || fallback;
    stderr.write("\n");
    throw new Interrupted("Nothing was written.");
  };
  const choose = async <T extends string>(subject: string, choices: readonly T[], fallback: T): Promise<T> => {
    for (;;) {
      try {
        return parseChoice(await ask(`${subject}: ${choices.join(", ")}`, fallback), choices, subject);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        stderr.write(`${error.message}\n`);
      }
    }
  };
  try {
    return {
      folder: given.folder ?? (await ask("Folder", defaultFolder)),
      host: given.host ?? (await choose("Host", hosts, defaults.host)),
      store: given.store ?? (await choose("Store", stores, defaults.store)),
      language: given.language ?? (await choose("Language", languages, defaults.language)),
    };
  } finally {
    lines.close();
  }
}
