import type { FaultLocation } from "../../ground/problem/index.js";
import { type Chosen, leaveOutFields } from "./chosen.js";
import type { Inquiry } from "./inquiry.js";
import type { Branch, Level } from "./level.js";
import { checkMembers, chooseMembers } from "./members.js";
import type { PathTree } from "./paths.js";
import type { ChosenFields, SelectableRelation } from "./selection.js";
import type { Named, Spot } from "./spot.js";
import { reportUnknown } from "./unknownName.js";

/** The selection of one level of a text. */
export interface Choice {
  readonly fields: ChosenFields;
  readonly relations: ReadonlyMap<string, NamedRelation>;
  /** The names with a minus, which apply to relations too. */
  readonly without: PathTree;
}

/** A relation to follow, with the names selected from its rows: `whole` stands for their default. */
export interface NamedRelation extends Branch {
  readonly relation: SelectableRelation;
  /** Where it was named in the request. */
  readonly place: FaultLocation;
}

/** Resolves the names of a level. Unknown and forbidden names are reported. */
export function chooseAt(spot: Spot, { all, names, without, place }: Level, inquiry: Inquiry): Choice {
  const fields = new Map<string, Chosen>();
  const relations = new Map<string, NamedRelation>();
  if (all) for (const name of spot.star()) fields.set(name, true);
  for (const [name, branch] of names) {
    const found = findName(spot, name, place, inquiry);
    if (found?.field && !(found.relation && branch.parts.length > 0)) {
      const chosen = chooseMembers(branch, found.field, spot.path + name, inquiry);
      if (chosen !== undefined && !fields.has(name)) fields.set(name, chosen);
    } else if (found?.relation) relations.set(name, { ...branch, relation: found.relation, place });
    else if (found?.isFault) inquiry.report("FORBIDDEN_FIELD", `Not allowed to read "${spot.path}${name}".`, place);
  }
  checkExcluded(without, spot, inquiry);
  return { fields: leaveOutFields(fields, without), relations, without };
}

/** Reports unknown names with a minus. Forbidden fields may be excluded. */
export function checkExcluded(tree: PathTree, spot: Spot, inquiry: Inquiry): void {
  for (const [name, { below, place }] of tree) {
    const found = findName(spot, name, place, inquiry);
    if (found?.relation) checkExcluded(below, found.behind(), inquiry);
    else if (found?.field) checkMembers(below, found.field, spot.path + name, inquiry);
  }
}

function findName(spot: Spot, name: string, place: FaultLocation, inquiry: Inquiry): Named | undefined {
  return spot.find(name) ?? reportUnknown({ name, before: spot.path, visible: spot.visible(), place }, inquiry);
}
