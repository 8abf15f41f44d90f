import type { ProblemItem } from "../problem/index.js";

/** A place in the result of an operation that stands before: `op1.data.id`. */
export interface Reference {
  /** As the client wrote it. */
  readonly text: string;
  /** Of the operation whose result is meant. */
  readonly name: string;
  /** The way into its result; the first is one of `status`, `id`, `data` and `headers`. */
  readonly steps: readonly string[];
  /** Where it stands in the operation that refers: `/url`, `/body/items/0`. */
  readonly pointer: string;
}

/** What the result of an operation has that can be referred to: an `error` it never has, as a failed operation is not followed. */
const parts = ["status", "id", "data", "headers"];

const longest = 256;
const mostSteps = 16;
const nameSyntax = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * Parses the text of a reference, or tells what is wrong with it.
 *
 * Steps are separated by dots, so a member with a dot in its name cannot be reached. Names of headers may be written in any case.
 */
export function parseReference(text: string, pointer: string): Reference | Pick<ProblemItem, "detail" | "allowed"> {
  if (text.length > longest) return { detail: `A reference has at most ${longest} characters.` };
  const shown = JSON.stringify(text);
  const [name = "", ...steps] = text.split(".");
  if (!nameSyntax.test(name) || steps.length === 0 || steps.includes("")) {
    return { detail: `A reference is the name of an operation and a place in its result, as in "op1.data.id"; got ${shown}.` };
  }
  if (steps.length > mostSteps) return { detail: `A reference has at most ${mostSteps} steps; ${shown} has ${steps.length}.` };
  const [part = "", ...rest] = steps;
  if (!parts.includes(part)) return { detail: `The reference ${shown} must go on with one of ${parts.join(", ")} after the name.`, allowed: parts };
  if (part === "headers") return { text, name, steps: [part, ...rest.map((step) => step.toLowerCase())], pointer };
  return { text, name, steps, pointer };
}
