import { ConfigurationError } from "../../../ground/problem/index.js";
import type { QueryField } from "../conditions/field.js";
import { holdsText, type Operator, takes } from "../conditions/operator.js";
import { type FilterKey, mayHide, withClaim } from "../grammar/claim.js";
import type { QueryParameter } from "../table.js";

/** What the keys are written into, in the order of their right to a name. */
export interface TableDraft {
  readonly collection: string;
  readonly keys: Map<string, QueryParameter>;
  readonly spellings: Map<string, FilterKey>;
  readonly warnings: string[];
  readonly param: Readonly<Record<string, string>>;
}

/**
 * `total`, `address.city`, `address[city]`: the names themselves, which no operator and no alias can take away.
 *
 * @throws {ConfigurationError} for a name that has a meaning already
 */
export function plainKeys(draft: TableDraft, field: QueryField): void {
  const key = bareKey(field, "eq");
  for (const spelling of spellingsOf(draft, field)) {
    if (draft.keys.has(spelling)) {
      throw new ConfigurationError(`${draft.collection}: "${spelling}" means two things in a query; name the field otherwise, by "param".`);
    }
    draft.spellings.set(spelling, key);
    draft.keys.set(spelling, key);
  }
}

/** `total[gte]`, `total__gte`, `status!`, `tags[]` and their combinations. */
export function operatorKeys(draft: TableDraft, field: QueryField): void {
  for (const spelling of operandsOf(draft, field)) {
    for (const [name, key] of keysOf(field, spelling)) writeKey(draft, name, key);
  }
}

function spellingsOf({ param }: TableDraft, { path, key, relation }: QueryField): string[] {
  const [name = "", ...members] = relation === undefined ? path : [relation, ...path];
  if (members.length === 0) return [Object.hasOwn(param, name) ? (param[name] ?? name) : name];
  // `fields[…]` always selects fields.
  return name === "fields" ? [key] : [key, `${name}${members.map((member) => `[${member}]`).join("")}`];
}

/** Spellings that operators may be attached to: for a field with another name in queries, also its own. */
function operandsOf(draft: TableDraft, field: QueryField): string[] {
  const spellings = spellingsOf(draft, field);
  return spellings.includes(field.key) ? spellings : [...spellings, field.key];
}

/** Every key that attaches an operator to the spelling of a field. */
export function keysOf(field: QueryField, spelling: string): [name: string, key: FilterKey][] {
  const keys: [string, FilterKey][] = [];
  for (const operator of field.operators) {
    const whole: FilterKey = { kind: "filter", field, operator, reading: readingOf(operator, holdsText(field.leaf)), star: false };
    const item: FilterKey = { ...whole, reading: "item" };
    for (const name of [`${spelling}[${operator}]`, `${spelling}__${operator}`]) keys.push([name, whole], [`${name}[]`, item]);
    if (operator === "eq") keys.push([`${spelling}[]`, item]);
    if (operator === "ne") keys.push([`${spelling}![]`, item]);
  }
  // With a star it means `exists`, which a field may have without `ne`.
  if (field.operators.includes("ne") || field.operators.includes("exists")) keys.push([`${spelling}!`, bareKey(field, "ne")]);
  return spelling === "fields" ? keys.filter(([name]) => !name.startsWith("fields[")) : keys;
}

/** On text `[eq]` and `[ne]` take one value unchanged, for clients that turn `%2C` back into a comma. */
function readingOf(operator: Operator, isText: boolean): FilterKey["reading"] {
  if (takes(operator, "alternatives", "every")) return "list";
  if (takes(operator, "value")) return isText ? "item" : "list";
  return "one";
}

/** The key without an operator, or with `!`. */
export function bareKey(field: QueryField, operator: "eq" | "ne"): FilterKey {
  return { kind: "filter", field, operator, reading: "list", star: true };
}

/** Gives a key to a field, unless another field has it; a field that may be hidden keeps the key only for principals that may see it. */
export function writeKey(draft: TableDraft, name: string, key: FilterKey): void {
  const taken = draft.keys.get(name);
  if (taken === undefined) draft.keys.set(name, key);
  else if (taken.kind === "filter" && taken.field !== key.field) {
    draft.warnings.push(`"${name}" means the field "${taken.field.key}", not "${key.operator}" of "${key.field.key}".`);
    if (mayHide(taken.field)) draft.keys.set(name, withClaim(taken, key));
  }
}
