import type { JsonPatchLimits } from "./jsonPatchLimits.js";
import { excess, type Spot } from "./refusal.js";
import { overweight, together, type Weight, weightless } from "./weigh.js";

/** The remaining copies of a patch, and the current size of the document. */
export class Budget {
  readonly #limits: JsonPatchLimits;
  /** A document that was already too large may be changed, but must not grow. */
  readonly #largest: Weight;
  #size: Weight;
  #spent: Weight = weightless;

  constructor(limits: JsonPatchLimits, size: Weight) {
    const { nodes, characters, depth } = limits;
    this.#limits = limits;
    this.#largest = { nodes: Math.max(nodes, size.nodes), characters: Math.max(characters, size.characters), depth };
    this.#size = size;
  }

  /** The remaining budget for copying to a location at this depth. */
  left(steps: number): Weight {
    const { nodes, characters, depth } = this.#limits;
    return { nodes: nodes - this.#spent.nodes, characters: characters - this.#spent.characters, depth: depth - steps };
  }

  /**
   * Counts a value that is copied or scanned, for a location at this depth.
   *
   * @throws {ProblemError} PATCH_MALFORMED
   */
  spend(weight: Weight, steps: number, spot: Spot): void {
    const limit = overweight(weight, this.left(steps));
    if (limit === "depth") throw this.#tooDeep(spot);
    if (limit) throw excess(spot, `the patch copies or moves too much; allowed are ${this.#limits[limit]} ("${limit}").`);
    this.#spent = together(this.#spent, weight);
  }

  /**
   * Counts the replacement of one value by another at this depth.
   *
   * @throws {ProblemError} PATCH_MALFORMED
   */
  exchange(removed: Weight, added: Weight, steps: number, spot: Spot): void {
    if (steps + added.depth > this.#limits.depth) throw this.#tooDeep(spot);
    const nodes = this.#size.nodes - removed.nodes + added.nodes;
    const characters = this.#size.characters - removed.characters + added.characters;
    this.#size = { nodes, characters, depth: 0 };
    const limit = overweight(this.#size, this.#largest);
    if (limit) throw excess(spot, `the result is too large; allowed are ${this.#largest[limit]} ("${limit}").`);
  }

  #tooDeep(spot: Spot) {
    return excess(spot, `the result is nested deeper than ${this.#limits.depth} levels ("depth").`);
  }
}
