import type { Limits } from "../../ground/limits/limits.js";
import { type ProblemItem, problemOf } from "../../ground/problem/index.js";
import type { FieldModel } from "../schema/field.js";
import { checkExcluded, chooseAt } from "./choice.js";
import { canonicalOf, leaveOutFields } from "./chosen.js";
import { refuseEmpty, startInquiry } from "./inquiry.js";
import { parseLevel } from "./parseLevel.js";
import { type GrowingTree, parseExcluded } from "./paths.js";
import type { ChosenFields, Selection } from "./selection.js";
import type { Named, Spot } from "./spot.js";

/** The texts of a request. */
export interface FieldsRequest {
  readonly fields?: string | undefined;
  readonly exclude?: string | undefined;
}

/** Fields without a service: without relations, and without access rules. */
export interface LooseFields {
  readonly all: ReadonlyMap<string, FieldModel>;
  /** The names that `*` selects. */
  readonly star: readonly string[];
  /** The names that are shown by default. */
  readonly shown: ChosenFields;
}

/**
 * Selects fields without a service.
 *
 * @throws {ProblemError} 400 with every fault listed
 */
export function chooseFields(
  { fields, exclude }: FieldsRequest,
  { all, star, shown }: LooseFields,
  limits: Pick<Limits, "fields" | "fieldsDepth">,
): Selection {
  const problems: ProblemItem[] = [];
  const inquiry = startInquiry(limits, problems);
  const find = (name: string): Named | undefined => {
    const field = all.get(name);
    return field && { field };
  };
  const spot: Spot = { path: "", find, star: () => star, visible: () => all.keys() };
  const level = fields === undefined ? undefined : parseLevel({ text: fields, place: { parameter: "fields" } }, inquiry);
  const excluded: GrowingTree = new Map();
  if (exclude !== undefined) parseExcluded({ text: exclude, place: { parameter: "exclude" } }, excluded, inquiry);
  checkExcluded(excluded, spot, inquiry);
  const chosen = leaveOutFields(level ? chooseAt(spot, level, inquiry).fields : shown, excluded);
  if (chosen.size === 0 && problems.length === 0) refuseEmpty({ parameter: fields === undefined ? "exclude" : "fields" }, inquiry);
  if (problems.length > 0) throw problemOf("MALFORMED_QUERY", problems);
  return { fields: chosen, relations: new Map(), canonical: canonicalOf(chosen) };
}
