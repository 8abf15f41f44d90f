import type { Limits } from "../../ground/limits/limits.js";
import type { FaultLocation } from "../../ground/problem/index.js";
import { exceedsLimits, type Inquiry } from "./inquiry.js";
import type { SelectionText } from "./selection.js";
import { isNoItem, readToken } from "./token.js";

/** Dotted paths as a tree that shares common beginnings. */
export type PathTree = ReadonlyMap<string, PathNode>;

/** A name of a path. */
export interface PathNode {
  /** A path ends here. */
  readonly whole: boolean;
  readonly below: PathTree;
  /** Where it was first named. */
  readonly place: FaultLocation;
}

interface GrowingNode extends PathNode {
  whole: boolean;
  readonly below: GrowingTree;
}

/** A tree to which paths are being added. */
export type GrowingTree = Map<string, GrowingNode>;

/** Adds a path. Returns how many of its names are new. */
export function addPath(tree: GrowingTree, path: readonly string[], place: FaultLocation): number {
  let added = 0;
  let below = tree;
  for (const [index, name] of path.entries()) {
    let node = below.get(name);
    if (node === undefined) {
      node = { whole: false, below: new Map(), place };
      below.set(name, node);
      added += 1;
    }
    node.whole ||= index === path.length - 1;
    below = node.below;
  }
  return added;
}

/** Parses `exclude=ssn,address.zip` to a tree. A fault is reported and ends parsing. */
export function parseExcluded({ text, place }: SelectionText, tree: GrowingTree, inquiry: Inquiry): void {
  readPaths(text, place, inquiry, (path) => {
    if (exceedsLimits(inquiry, path.length - 1, place)) return false;
    addPath(tree, path, place);
    return true;
  });
}

/** Parses `include=customer.company,items` to a tree. A fault is reported and ends parsing. */
export function parseIncluded({ text, place }: SelectionText, tree: GrowingTree, inquiry: Inquiry<Limits>): void {
  const { includes } = inquiry.limits;
  let names = 0;
  readPaths(text, place, inquiry, (path) => {
    names += addPath(tree, path.slice(0, includes + 1), place);
    if (names > includes) refuseRelations(place, inquiry);
    return names <= includes;
  });
}

/** Reports that more relations are named than one request may follow. */
export function refuseRelations(place: FaultLocation, { limits, report }: Inquiry<Limits>): undefined {
  return report("QUERY_TOO_COMPLEX", `The query includes too many relations; allowed: ${limits.includes}.`, place);
}

/** Parses the dotted paths of a list until `take` returns `false`. */
function readPaths(text: string, place: FaultLocation, inquiry: Inquiry, take: (path: readonly string[]) => boolean): void {
  for (let start = 0; start <= text.length; ) {
    const token = readToken(text, start);
    if (isNoItem(token, true, place, inquiry) || !take(token.path)) return;
    start = token.end + 1;
  }
}
