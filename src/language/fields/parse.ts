import type { Limits } from "../../ground/limits/limits.js";
import type { ProblemItem } from "../../ground/problem/index.js";
import type { Gate } from "../schema/access.js";
import { checkExcluded } from "./choice.js";
import { spotOf } from "./collectionSpot.js";
import { type Inquiry, refuseEmpty, startInquiry, whereOf } from "./inquiry.js";
import type { Level } from "./level.js";
import { parseLevel } from "./parseLevel.js";
import { type GrowingTree, parseExcluded, parseIncluded } from "./paths.js";
import type { SelectableCollection, Selection, SelectionInput, SelectionText } from "./selection.js";
import { selectRows, type TypeTexts } from "./selectRows.js";
import { reportUnknown } from "./unknownName.js";
import type { ViewKind } from "./view.js";

/** The principal's rights and the limits for parsing a selection. */
export interface SelectionContext {
  /** The default view. */
  readonly kind: ViewKind;
  /** Rights on the fields of the collection itself. */
  readonly own: Gate;
  /** Rights on the fields of related collections. */
  readonly related: Gate;
  readonly limits: Limits;
}

/** The default view, without relations. */
const everything: Selection = { fields: undefined, relations: new Map(), canonical: "" };

/**
 * Parses everything in a request that selects fields and relations. Never throws for client input: every fault is added to `problems`, and the selection is
 * valid only if there was none.
 */
export function parseSelection(
  input: SelectionInput,
  collection: SelectableCollection,
  context: SelectionContext,
  problems: ProblemItem[],
): Selection {
  if (!input.fields && !input.exclude && input.include.length === 0 && input.types.size === 0) return everything;
  const before = problems.length;
  const inquiry = startInquiry(context.limits, problems);
  const spot = spotOf(collection, context.own, context.related);
  const ownType = input.types.get(collection.name);
  const excluded: GrowingTree = new Map();
  if (input.exclude) parseExcluded(input.exclude, excluded, inquiry);
  checkExcluded(excluded, spot, inquiry);
  if (input.fields && ownType) refuseTwice(input.fields, ownType, inquiry);
  const beforeChoice = problems.length;
  const types: TypeTexts = { levels: parseTypes(input, inquiry), reached: new Map(), related: context.related };
  const own = input.fields ? parseLevel(input.fields, inquiry) : types.levels.get(collection.name);
  const included: GrowingTree = new Map();
  for (const text of input.include) parseIncluded(text, included, inquiry);
  const named = { whole: false, parts: own ? [own] : [] };
  const wish = { named, kind: context.kind, included, excluded: [excluded], depth: 0, followed: new Set([collection.name]) };
  const selection = selectRows(spot, wish, types, inquiry);
  // A part that could not be parsed might have led to these types.
  if (problems.length === beforeChoice) refuseUnreached(input, collection, types, inquiry);
  const chooser = input.fields ?? ownType ?? input.exclude;
  if (selection === undefined && chooser && problems.length === before) refuseEmpty(chooser.place, inquiry);
  return selection ?? everything;
}

function parseTypes({ types }: SelectionInput, inquiry: Inquiry): Map<string, Level> {
  const levels = new Map<string, Level>();
  for (const [name, text] of types) {
    const level = parseLevel(text, inquiry);
    if (level) levels.set(name, level);
  }
  return levels;
}

function refuseTwice({ place }: SelectionText, again: SelectionText, { report }: Inquiry): void {
  report("CONFLICTING_PARAMETERS", `"${whereOf(place)}" and "${whereOf(again.place)}" mean the same; give one of them.`, again.place);
}

/** A type is known if it is the collection's own, or that of a relation that this request follows. */
function refuseUnreached({ types }: SelectionInput, { name: own }: SelectableCollection, { reached }: TypeTexts, inquiry: Inquiry): void {
  for (const [name, { place }] of types) {
    if (name === own || reached.has(name)) continue;
    reportUnknown({ name, before: "", visible: [own, ...reached.keys()], place, code: "UNKNOWN_TYPE" }, inquiry);
  }
}
