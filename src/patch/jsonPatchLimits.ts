import { ConfigurationError } from "../problem/index.js";

/** What a JSON Patch may cost. Values are scalars, arrays and objects at any depth; characters are those of text and of member names. */
export interface JsonPatchLimits {
  /** Operations of one patch; at most 1,000. */
  readonly operations: number;
  /** Values in the patch; values that it copies or moves deeper; values of the result, unless the document has had more from the start. */
  readonly nodes: number;
  /** The same for characters. Without it a few bytes could copy a long text a hundred times. */
  readonly characters: number;
  /** Nesting of arrays and objects in the document, the patch's values and the result, as in JSON bodies; at most 1,000. */
  readonly depth: number;
}

/** The limits where nothing else is said: what one JSON body may hold by default. */
export const defaultJsonPatchLimits: JsonPatchLimits = { operations: 100, nodes: 20_000, characters: 1_048_576, depth: 64 };

const maxima: Partial<JsonPatchLimits> = { operations: 1_000, depth: 1_000 };

/**
 * The defaults with the caller's changes.
 *
 * @throws {ConfigurationError} for a limit that is not a whole number of at least 1, or above its maximum
 */
export function resolveJsonPatchLimits(changes: Partial<JsonPatchLimits> = {}): JsonPatchLimits {
  const { operations, nodes, characters, depth } = defaultJsonPatchLimits;
  return {
    operations: resolve("operations", changes.operations ?? operations),
    nodes: resolve("nodes", changes.nodes ?? nodes),
    characters: resolve("characters", changes.characters ?? characters),
    depth: resolve("depth", changes.depth ?? depth),
  };
}

function resolve(name: keyof JsonPatchLimits, value: number): number {
  const maximum = maxima[name] ?? Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(value) && value >= 1 && value <= maximum) return value;
  throw new ConfigurationError(`The JSON Patch limit "${name}" must be a whole number from 1 to ${maximum}; got ${String(value)}.`);
}
