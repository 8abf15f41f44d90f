import type { ProblemItem } from "../../../ground/problem/index.js";

/** A path into the result of an earlier operation: `op1.data.id`. */
export interface Reference {
  /** As the client wrote it. */
  readonly text: string;
  /** The name of the operation. */
  readonly name: string;
  /** The steps into its result; the first is `status`, `id`, `data` or `headers`. */
  readonly steps: readonly string[];
  /** Where the operation contains the reference: `/url`, `/body/items/0`. */
  readonly pointer: string;
}

/** The parts of a result that references can read. `error` is not one of them, because a failed operation has no readable result. */
const parts = ["status", "id", "data", "headers"];

const maxCharacters = 256;
const maxSteps = 16;
const nameSyntax = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/**
 * Parses a reference, or returns what is wrong with it.
 *
 * Steps are separated by dots, so members with a dot in their name cannot be reached. Header names are case-insensitive.
 */
export function parseReference(text: string, pointer: string): Reference | Pick<ProblemItem, "detail" | "allowed"> {
  if (text.length > maxCharacters) return { detail: `A reference has at most ${maxCharacters} characters.` };
  const shown = JSON.stringify(text);
  const [name = "", ...steps] = text.split(".");
  if (!nameSyntax.test(name) || steps.length === 0 || steps.includes("")) {
    return { detail: `A reference is the name of an operation and a path into its result, as in "op1.data.id"; got ${shown}.` };
  }
  if (steps.length > maxSteps) return { detail: `A reference has at most ${maxSteps} steps; ${shown} has ${steps.length}.` };
  const [part = "", ...rest] = steps;
  if (!parts.includes(part))
    return { detail: `The reference ${shown} must continue with one of ${parts.join(", ")} after the name.`, allowed: parts };
  if (part === "headers") return { text, name, steps: [part, ...rest.map((step) => step.toLowerCase())], pointer };
  return { text, name, steps, pointer };
}
