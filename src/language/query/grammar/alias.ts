import type { QueryField } from "../conditions/field.js";
import { bareKey, keysOf, type TableDraft, writeKey } from "../paging/keys.js";
import type { Range } from "../values/range.js";
import { claimants, type FilterKey, mayHide, withClaim } from "./claim.js";

/** An alias of a field, which exists only if nothing else has that name. */
interface Alias {
  readonly name: string;
  readonly field: QueryField;
  readonly keys: readonly (readonly [name: string, key: FilterKey])[];
  /** Whether the alias can replace the field's own name everywhere. */
  readonly bare?: FilterKey;
}

/**
 * `address_city` for a nested field, `tag` for an array `tags`, and ranges without a name of their own: only if the name is free and unambiguous. Rivals
 * that are hidden from a principal do not count for it: its queries must not reveal that they exist.
 */
export function aliasKeys(draft: TableDraft, fields: readonly QueryField[], ranges: readonly Range[]): void {
  const byName = new Map<string, Alias[]>();
  for (const alias of [...fields.flatMap(aliasesOf), ...ranges.map(ofRange)]) byName.set(alias.name, [...(byName.get(alias.name) ?? []), alias]);
  for (const [name, wanted] of byName) {
    const taken = draft.keys.get(name);
    const owners = taken?.kind === "filter" ? claimants(taken) : [];
    if (taken !== undefined) {
      draft.warnings.push(...wanted.map(({ field }) => `"${name}" is not an alias of "${field.key}": a parameter has that name.`));
    } else if (wanted.length > 1) {
      draft.warnings.push(`"${name}" would mean ${wanted.map(({ field }) => `"${field.key}"`).join(" and ")}, so it is not used.`);
    }
    if (taken?.kind === "control") continue;
    for (const alias of wanted) {
      const rivals = [...owners, ...wanted.flatMap((other) => (other === alias ? [] : [other.field]))];
      if (alias.field.operators.length > 0 && rivals.every(mayHide)) writeAlias(draft, alias, rivals);
    }
  }
}

function writeAlias(draft: TableDraft, { name, keys, bare }: Alias, rivals: readonly QueryField[]): void {
  const claim = (key: FilterKey): FilterKey => (rivals.length === 0 ? key : { ...key, unless: rivals });
  if (bare !== undefined) draft.spellings.set(name, withClaim(draft.spellings.get(name), claim(bare)));
  for (const [spelling, key] of keys) {
    const taken = draft.keys.get(spelling);
    // Rivals cause one warning, not one for each operator.
    if (rivals.length > 0 && taken?.kind === "filter") draft.keys.set(spelling, withClaim(taken, claim(key)));
    else writeKey(draft, spelling, claim(key));
  }
}

function aliasesOf(field: QueryField): Alias[] {
  const { path } = field;
  const underscored = path.length > 1 ? [path.join("_")] : [];
  const name = path.at(-1) ?? "";
  const isPlural = field.field.kind === "array" && name.length > 1 && name.endsWith("s");
  const names = isPlural ? [...underscored, [...path.slice(0, -1), name.slice(0, -1)].join(".")] : underscored;
  const bare = bareKey(field, "eq");
  return names.map((alias) => ({ name: alias, field, bare, keys: [[alias, bare], ...keysOf(field, alias)] }));
}

function ofRange({ name, field, operator }: Range): Alias {
  return { name, field, keys: [[name, { kind: "filter", field, operator, reading: "one", star: false }]] };
}
