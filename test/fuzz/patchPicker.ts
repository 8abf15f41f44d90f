/** Draws from a sequence of numbers that the seed decides: mulberry32. */
export class Picker {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0, below the bound. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  oneIn(chances: number): boolean {
    return this.below(chances) === 0;
  }

  /** One of the choices, of which there must be some. */
  of<Value>(choices: readonly Value[]): Value {
    return choices[this.below(choices.length)] as Value;
  }

  /** As many as below the bound. */
  list<Value>(bound: number, make: () => Value): Value[] {
    return Array.from({ length: this.below(bound) }, make);
  }
}
