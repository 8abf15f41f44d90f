import type { Limits } from "../../ground/limits/limits.js";
import type { FaultLocation } from "../../ground/problem/index.js";
import type { Gate } from "../schema/access.js";
import { type Choice, chooseAt, type NamedRelation } from "./choice.js";
import { type Chosen, canonicalOf, leaveOutFields, unite } from "./chosen.js";
import { type CollectionSpot, spotOf } from "./collectionSpot.js";
import type { Inquiry } from "./inquiry.js";
import type { Branch, Level } from "./level.js";
import { type PathTree, refuseRelations } from "./paths.js";
import type { ChosenFields, Selection } from "./selection.js";
import { reportUnknown } from "./unknownName.js";
import type { ViewKind } from "./view.js";

/** What a request selects from the rows at one spot. */
export interface Wish {
  /** The selected names: `whole` stands for the default. */
  readonly named: Branch;
  readonly kind: ViewKind;
  /** Relations to follow from here. */
  readonly included: PathTree;
  readonly excluded: readonly PathTree[];
  /** The number of relations on the way here. */
  readonly depth: number;
  /** Types whose own text has named relations on the way here, so that a circle is followed once. */
  readonly followed: ReadonlySet<string>;
}

/** The texts of `fields[<type>]`, and their selections. */
export interface TypeTexts {
  readonly levels: ReadonlyMap<string, Level>;
  /** By the names of the related collections; `undefined` for those without a text. */
  readonly reached: Map<string, Choice | undefined>;
  /** Rights on the fields of those collections. */
  readonly related: Gate;
}

/** The selection at a spot and of its relations; `undefined` if nothing is left to show. */
export function selectRows(spot: CollectionSpot, wish: Wish, types: TypeTexts, inquiry: Inquiry<Limits>): Selection | undefined {
  const { name } = spot.collection;
  const chosen = wish.named.parts.map((level) => chooseAt(spot, level, inquiry));
  const takesDefault = wish.named.whole || chosen.length === 0;
  const typed = takesDefault ? types.reached.get(name) : undefined;
  const choices = typed ? [typed, ...chosen] : chosen;
  const fields = fieldsAt(spot, wish, choices, takesDefault && !typed);
  const named = wish.followed.has(name) ? chosen : choices;
  const followed = typed ? new Set([...wish.followed, name]) : wish.followed;
  const without = [...wish.excluded, ...choices.map((choice) => choice.without)];
  const relations = new Map<string, Selection>();
  for (const [relation, branch] of relationsToFollow(spot, named, wish.included, inquiry)) {
    const nodes = without.flatMap((tree) => tree.get(relation) ?? []);
    const included = wish.included.get(relation)?.below ?? new Map();
    const next: Wish = { named: branch, kind: "compact", included, excluded: nodes.map(({ below }) => below), depth: wish.depth + 1, followed };
    const selected = follow(spot.follow(relation, branch.relation), next, branch.place, types, inquiry);
    if (selected && !nodes.some(({ whole }) => whole)) relations.set(relation, selected);
  }
  if (fields?.size === 0 && relations.size === 0) return undefined;
  return { fields, relations, canonical: fields ? canonicalOf(fields) : "" };
}

/** `undefined` for the unchanged default view. */
function fieldsAt(spot: CollectionSpot, wish: Wish, choices: readonly Choice[], takesDefault: boolean): ChosenFields | undefined {
  const { fields: known, views } = spot.collection;
  const excluded = wish.excluded.filter((tree) => [...tree.keys()].some((name) => known.has(name)));
  if (takesDefault && choices.length === 0 && excluded.length === 0) return undefined;
  const fields = new Map<string, Chosen>();
  if (takesDefault) for (const name of spot.readable(views.fieldsOf(wish.kind))) fields.set(name, true);
  for (const choice of choices) {
    for (const [name, chosen] of choice.fields) fields.set(name, unite([chosen, fields.get(name) ?? chosen]) ?? chosen);
  }
  return excluded.reduce<ChosenFields>(leaveOutFields, fields);
}

function relationsToFollow(
  spot: CollectionSpot,
  choices: readonly Choice[],
  included: PathTree,
  inquiry: Inquiry<Limits>,
): Map<string, NamedRelation> {
  const relations = new Map<string, NamedRelation>();
  for (const choice of choices) {
    for (const [name, more] of choice.relations) {
      const { whole = false, parts = [] } = relations.get(name) ?? {};
      relations.set(name, { ...more, whole: whole || more.whole, parts: [...parts, ...more.parts] });
    }
  }
  for (const [name, { place }] of included) {
    const found = spot.collection.relations.has(name) ? spot.find(name) : undefined;
    if (found === undefined) {
      reportUnknown({ name, before: spot.path, visible: spot.visibleRelations(), place, code: "UNKNOWN_RELATION" }, inquiry);
    } else if (!found.relation) {
      inquiry.report("FORBIDDEN_FIELD", `Not allowed to read "${spot.path}${name}".`, place);
    } else if (!relations.has(name)) relations.set(name, { whole: false, parts: [], relation: found.relation, place });
  }
  return relations;
}

function follow(spot: CollectionSpot, wish: Wish, place: FaultLocation, types: TypeTexts, inquiry: Inquiry<Limits>): Selection | undefined {
  const { includeDepth, includes } = inquiry.limits;
  if (wish.depth > includeDepth) {
    const detail = `"${spot.path.slice(0, -1)}" follows relations more than ${includeDepth} deep; allowed: ${includeDepth}.`;
    return inquiry.report("QUERY_TOO_COMPLEX", detail, place);
  }
  inquiry.relations += 1;
  if (inquiry.relations > includes) return refuseRelations(place, inquiry);
  const { name } = spot.collection;
  if (!types.reached.has(name)) {
    const level = types.levels.get(name);
    types.reached.set(name, level && chooseAt(spotOf(spot.collection, types.related, types.related), level, inquiry));
  }
  return selectRows(spot, wish, types, inquiry);
}
