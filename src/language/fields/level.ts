import type { FaultLocation } from "../../ground/problem/index.js";
import { addPath, type GrowingTree, type PathTree } from "./paths.js";
import type { Token } from "./token.js";

/** The selection of a text at one level of nesting. */
export interface Level {
  readonly place: FaultLocation;
  /** Whether it has `*`, or only names with a minus. */
  readonly all: boolean;
  readonly names: ReadonlyMap<string, Branch>;
  /** The names with a minus. */
  readonly without: PathTree;
}

/** A name: selected as a whole, in parts, or both. */
export interface Branch {
  readonly whole: boolean;
  readonly parts: readonly Level[];
}

/** A level that is being parsed. */
export interface GrowingLevel extends Level {
  all: boolean;
  readonly names: Map<string, GrowingBranch>;
  readonly without: GrowingTree;
  /** Dots and braces around it. */
  readonly nesting: number;
  /** The first name with a minus, as it was written. */
  minus: string | undefined;
}

interface GrowingBranch extends Branch {
  whole: boolean;
  readonly parts: GrowingLevel[];
}

/** A level without names. */
export function newLevel(place: FaultLocation, nesting = 0): GrowingLevel {
  return { place, all: false, names: new Map(), without: new Map(), nesting, minus: undefined };
}

/** Adds `*`, a name or a dotted path, with a minus or without. */
export function addItem(level: GrowingLevel, { text, path }: Token): void {
  if (text === "*") level.all = true;
  else if (text.startsWith("-")) {
    addPath(level.without, path, level.place);
    level.minus ??= text;
  } else branchAt(level, path).whole = true;
}

/** Adds a path that a brace follows. Returns the level within the brace. */
export function openLevel(level: GrowingLevel, path: readonly string[]): GrowingLevel {
  const within = newLevel(level.place, level.nesting + path.length);
  branchAt(level, path).parts.push(within);
  return within;
}

/** A dot is the same as a brace around one name. */
function branchAt(level: GrowingLevel, [first = "", ...rest]: readonly string[]): GrowingBranch {
  let branch = branchOf(level, first);
  for (const name of rest) {
    const within = newLevel(level.place);
    branch.parts.push(within);
    branch = branchOf(within, name);
  }
  return branch;
}

function branchOf({ names }: GrowingLevel, name: string): GrowingBranch {
  const branch = names.get(name) ?? { whole: false, parts: [] };
  names.set(name, branch);
  return branch;
}
