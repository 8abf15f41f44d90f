/** Numbers from 0 up to 1 that follow from a seed (mulberry32). */
export type Random = () => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function integer(random: Random, below: number): number {
  return Math.floor(random() * below);
}

export function pick<T>(random: Random, from: readonly [T, ...T[]]): T {
  return from[integer(random, from.length)] ?? from[0];
}
