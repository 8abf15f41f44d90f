import { optionsCheck, strict, whole } from "../../ground/options/index.js";

/** Limits of a JSON Patch. Values are scalars, arrays and objects at any depth; characters are those of text and of member names. */
export interface JsonPatchLimits {
  /** Operations of one patch; at most 1,000. */
  readonly operations: number;
  /** Values in the patch; values that it copies or moves deeper; values of the result, unless the document already had more. */
  readonly nodes: number;
  /** The same for characters. Without it a few bytes could copy a long text a hundred times. */
  readonly characters: number;
  /** Nesting of arrays and objects in the document, the patch's values and the result, as in JSON bodies; at most 1,000. */
  readonly depth: number;
}

/** The default limits, which are those of one JSON body. */
export const defaultJsonPatchLimits: JsonPatchLimits = { operations: 100, nodes: 20_000, characters: 1_048_576, depth: 64 };

const check = /* @__PURE__ */ optionsCheck("The limits of JSON Patch", () =>
  strict<JsonPatchLimits>({ operations: whole(1, 1_000), nodes: whole(1), characters: whole(1), depth: whole(1, 1_000) }),
);

/**
 * The defaults with the caller's changes.
 *
 * @throws {ConfigurationError} for a limit that is not a whole number of at least 1, or is too high
 */
export function resolveJsonPatchLimits(changes: Partial<JsonPatchLimits> = {}): JsonPatchLimits {
  check(changes);
  const { operations, nodes, characters, depth } = defaultJsonPatchLimits;
  return {
    operations: changes.operations ?? operations,
    nodes: changes.nodes ?? nodes,
    characters: changes.characters ?? characters,
    depth: changes.depth ?? depth,
  };
}
