/** The weight of a value: its scalars, arrays and objects; its characters of text and names; its nesting (a scalar 0, `[]` 1). */
export interface Weight {
  readonly nodes: number;
  readonly characters: number;
  readonly depth: number;
}

/** The smallest and the largest weight. */
export const weightless: Weight = { nodes: 0, characters: 0, depth: 0 };
const boundless: Weight = { nodes: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY };

/** Weighs a JSON value, and stops soon after a bound is exceeded, so that a hostile value costs little. */
export function weigh(value: unknown, bound: Weight = boundless): Weight {
  const scale: Scale = { nodes: 0, characters: 0, depth: 0, bound };
  put(scale, value, 1);
  return { nodes: scale.nodes, characters: scale.characters, depth: scale.depth };
}

/** The first part of a weight that exceeds its bound. */
export function overweight(weight: Weight, bound: Weight): keyof Weight | undefined {
  if (weight.nodes > bound.nodes) return "nodes";
  if (weight.characters > bound.characters) return "characters";
  return weight.depth > bound.depth ? "depth" : undefined;
}

/** The sum of two weights. */
export function together(left: Weight, right: Weight): Weight {
  return {
    nodes: left.nodes + right.nodes,
    characters: left.characters + right.characters,
    depth: Math.max(left.depth, right.depth),
  };
}

interface Scale {
  nodes: number;
  characters: number;
  depth: number;
  readonly bound: Weight;
}

/** Recursive: the bound on depth is checked on the way down. */
function put(scale: Scale, value: unknown, level: number): void {
  scale.nodes += 1;
  if (typeof value === "string") scale.characters += value.length;
  if (typeof value !== "object" || value === null) return;
  if (level > scale.depth) scale.depth = level;
  if (Array.isArray(value)) {
    for (const element of value) {
      if (overweight(scale, scale.bound)) return;
      put(scale, element, level + 1);
    }
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (overweight(scale, scale.bound)) return;
    scale.characters += name.length;
    put(scale, member, level + 1);
  }
}
