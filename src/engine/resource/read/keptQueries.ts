import { RecentlyUsed } from "../../../ground/http/recentlyUsed.js";
import { dependsOnPrincipal, type FieldUse, type Gate, type GuardedField, type Permission } from "../../../language/schema/access.js";

/** A right that depends on the principal, as a parser was told it. */
interface Decision {
  readonly field: GuardedField;
  readonly use: FieldUse;
  readonly permission: Permission;
}

/** What a parser makes of a text. */
export interface Keepable {
  /** Whether the text may stay in memory: not so if it has parts that are none of the query, as credentials are. */
  readonly isPlain: boolean;
}

interface Kept<Parsed> {
  readonly parsed: Parsed;
  readonly decisions: readonly Decision[];
}

/** Texts of one collection, and the most characters that one may have: names in it come from the client. */
const [maxKept, maxLength] = [64, 1_024];

/** How many texts are remembered as asked once. */
const maxSeen = 512;

/**
 * What the queries of one collection mean, by their texts. Clients ask the same few questions many times, and to parse one takes as long as to answer it from memory.
 *
 * The meaning depends on the text and on rights. Rights are rules of the developer, which may look at anything, so each that a parser has asked for is asked again: for a principal
 * with another one, the text is parsed anew.
 */
export class KeptQueries<Parsed extends Keepable> {
  readonly #kept = new RecentlyUsed<Kept<Parsed>>(maxKept);
  readonly #seen = new Set<string>();

  /**
   * @param text all that the result depends on, besides the rights
   * @param gate the rights of the principal, without names that `authorize` narrowed them to
   * @param parse is told the rights by the gate that it gets; an error of it is not kept
   */
  parse(text: string, gate: Gate, parse: (gate: Gate) => Parsed): Parsed {
    if (text.length > maxLength) return parse(gate);
    const kept = this.#kept.get(text);
    if (kept?.decisions.every(({ field, use, permission }) => gate(field, use) === permission)) return kept.parsed;
    const decisions: Decision[] = [];
    const parsed = parse((field, use) => {
      const permission = gate(field, use);
      if (dependsOnPrincipal(field.access)) decisions.push({ field, use, permission });
      return permission;
    });
    if (parsed.isPlain && (kept !== undefined || !this.#isNew(text))) this.#kept.set(text, { parsed, decisions });
    return parsed;
  }

  /** Most texts that are asked once are never asked again: to keep them would push out those that are. */
  #isNew(text: string): boolean {
    if (this.#seen.has(text)) return false;
    if (this.#seen.size >= maxSeen) this.#seen.clear();
    this.#seen.add(text);
    return true;
  }
}
