import type { PathNode, PathTree } from "./paths.js";
import type { ChosenFields, ChosenMembers } from "./selection.js";

/** A value as a whole, or some of its members. */
export type Chosen = true | ChosenMembers;

/** The union of several selections; `undefined` if there are none. */
export function unite(choices: readonly Chosen[]): Chosen | undefined {
  const [first, second] = choices;
  if (second === undefined) return first;
  const parts = new Map<string, Chosen[]>();
  // Selections that show all members also show unnamed ones: a member is left out only if all of them leave it out.
  const namings = new Map<string, number>();
  let wide = 0;
  for (const choice of choices) {
    if (choice === true) return true;
    if (choice.all) wide += 1;
    for (const [name, part] of choice.named) {
      if (choice.all) namings.set(name, (namings.get(name) ?? 0) + 1);
      const shown = parts.get(name) ?? [];
      if (part !== false) shown.push(part);
      parts.set(name, shown);
    }
  }
  const named = new Map<string, boolean | ChosenMembers>();
  for (const [name, shown] of parts) {
    const part = (namings.get(name) ?? 0) < wide || (unite(shown) ?? false);
    if (part !== wide > 0) named.set(name, part);
  }
  return wide > 0 && named.size === 0 ? true : { all: wide > 0, named };
}

function partOf(chosen: Chosen, name: string): Chosen | undefined {
  return chosen === true || (chosen.named.get(name) ?? chosen.all) || undefined;
}

/** The selection without the paths of a tree; `undefined` if nothing is left. */
export function leaveOut(chosen: Chosen, { whole, below }: Pick<PathNode, "whole" | "below">): Chosen | undefined {
  if (whole) return undefined;
  if (below.size === 0) return chosen;
  const all = chosen === true || chosen.all;
  const named = new Map<string, boolean | ChosenMembers>(chosen === true ? [] : chosen.named);
  for (const [name, node] of below) {
    const part = partOf(chosen, name);
    const left = part && leaveOut(part, node);
    if (left !== undefined || all) named.set(name, left ?? false);
    else named.delete(name);
  }
  return all || named.size > 0 ? { all, named } : undefined;
}

/** Top-level fields without the paths of a tree. */
export function leaveOutFields(fields: ChosenFields, without: PathTree): ChosenFields {
  const left = new Map<string, Chosen>();
  for (const [name, chosen] of fields) {
    const rest = leaveOut(chosen, without.get(name) ?? nothing);
    if (rest !== undefined) left.set(name, rest);
  }
  return left;
}

const nothing: Parameters<typeof leaveOut>[1] = { whole: false, below: new Map() };

/** The canonical text of a selection: equal for equal selections only; never empty. */
export function canonicalOf(fields: ChosenFields): string {
  return [...fields].map(([name, chosen]) => canonicalPart(name, chosen)).join(",") || "{}";
}

function canonicalPart(name: string, chosen: boolean | ChosenMembers): string {
  const quoted = quotedName(name);
  if (typeof chosen === "boolean") return chosen ? quoted : `-${quoted}`;
  if (!chosen.all) return `${quoted}{${[...chosen.named].map(([member, part]) => canonicalPart(member, part)).join(",")}}`;
  // Members that are selected together with all others have no order of their own.
  return `${quoted}{${["*", ...[...chosen.named].flatMap(([member, part]) => amongAll(member, part)).sort()].join(",")}}`;
}

/** A member beside `*`, which selects all of it: what it lacks is left out by its path. */
function amongAll(name: string, part: boolean | ChosenMembers): readonly string[] {
  if (typeof part === "boolean" || !part.all) return [canonicalPart(name, part)];
  return [...part.named].flatMap(([member, below]) => amongAll(member, below)).map((text) => behind(quotedName(name), text));
}

function behind(name: string, text: string): string {
  return text.startsWith("-") ? `-${name}.${text.slice(1)}` : `${name}{${text}}`;
}

function quotedName(name: string): string {
  return /[\s",.*{}-]/.test(name) ? JSON.stringify(name) : name;
}
