import { whenReady } from "../../../ground/http/whenReady.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { CollectionModel } from "../../../ground/storage/model.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import { AllowedRows } from "./allowedRows.js";
import { namesStoreId } from "./namesStoreId.js";
import { type RowRules, type ScopeAction, type ScopeQuestion, Within } from "./rowRules.js";
import { noRow, scopeFault, scopeFilter } from "./scopeFilter.js";
import { UnaskedRule } from "./unaskedRule.js";

/** How many parents a scope may be followed through `within`. */
const maxParents = 3;

const allRows = /* @__PURE__ */ new AllowedRows(undefined);
const noRows = /* @__PURE__ */ new AllowedRows(noRow);

type When = ScopeQuestion["when"];

/**
 * The scopes and stamps of one operation. Each question is asked once, outside of transactions, and its answer holds until the operation ends.
 *
 * Without rules for a collection all of its rows are allowed.
 */
export class Scopes {
  readonly principal: Principal;
  readonly #rules: ReadonlyMap<string, RowRules>;
  readonly #answers = new Map<string, AllowedRows | Promise<AllowedRows>>();
  readonly #stamps = new Map<string, Readonly<Record<string, unknown>>>();
  #isSealed = false;

  constructor(rules: ReadonlyMap<string, RowRules>, principal: Principal) {
    this.#rules = rules;
    this.principal = principal;
  }

  /** Whether the rows of a collection have a scope. */
  has(collection: string): boolean {
    return this.#rules.get(collection)?.scope !== undefined;
  }

  /** Refuses questions that were not asked before, because a transaction begins. */
  seal(): void {
    this.#isSealed = true;
  }

  /** Asks which rows the principal may use. @throws {ConfigurationError} for an unusable answer; what the developer's scope throws */
  ask(collection: string, action: ScopeAction, when: When): AllowedRows | Promise<AllowedRows> {
    return this.#askThrough(collection, action, when, []);
  }

  /** The answer to a question that was asked before. @throws {Error} if it was not: a write must not begin before its rules are known */
  answer(collection: string, action: ScopeAction, when: When): AllowedRows {
    if (!this.has(collection)) return allRows;
    const answer = this.#answers.get(keyOf(collection, action, when));
    if (answer === undefined || answer instanceof Promise) throw new Error(`The scope of "${collection}" was not asked for "${action}" before.`);
    return answer;
  }

  /** Asks for the values that the server sets in rows. @throws {ConfigurationError} for a value that is missing or invalid */
  async askStamps(collection: string, action: "create" | "update"): Promise<void> {
    const stamps = this.#rules.get(collection)?.stamps ?? [];
    const key = `${collection} ${action}`;
    if (stamps.length === 0 || this.#stamps.has(key)) return;
    if (this.#isSealed) throw new UnaskedRule((scopes) => scopes.askStamps(collection, action));
    const values: Record<string, unknown> = {};
    for (const { field, on, set, toRow } of stamps) {
      if (action === "update" && on === "create") continue;
      values[field] = await toRow(await set({ principal: this.principal, action }));
    }
    this.#stamps.set(key, values);
  }

  /** Whether the server sets fields of the written rows. */
  hasStamps(collection: string, action: "create" | "update"): boolean {
    return this.#rules.get(collection)?.stamps.some(({ on }) => action === "create" || on === "write") === true;
  }

  /** The values that {@link askStamps} has asked for. @throws {Error} if they were not asked for */
  stamps(collection: string, action: "create" | "update"): Readonly<Record<string, unknown>> {
    const values = this.#stamps.get(`${collection} ${action}`);
    if (values === undefined && (this.#rules.get(collection)?.stamps.length ?? 0) > 0) {
      throw new Error(`The stamps of "${collection}" were not asked for before.`);
    }
    return values ?? {};
  }

  /** Whether the answers so far can be evaluated only with a read of other rows, or after the write. */
  readsRows(model: CollectionModel): boolean {
    const prefix = `${model.name} `;
    for (const [key, answer] of this.#answers) {
      if (answer instanceof Promise || !key.startsWith(prefix)) continue;
      if (answer.depth > 0 || namesStoreId(model, answer.filter)) return true;
    }
    return false;
  }

  #askThrough(collection: string, action: ScopeAction, when: When, children: readonly string[]): AllowedRows | Promise<AllowedRows> {
    const rules = this.#rules.get(collection);
    if (rules?.scope === undefined) return allRows;
    const key = keyOf(collection, action, when);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    if (this.#isSealed) throw new UnaskedRule((scopes) => scopes.ask(collection, action, when));
    const given = rules.scope({ principal: this.principal, action, when });
    const answer = isThenable(given)
      ? Promise.resolve(given).then((value) => this.#read(rules, value, children))
      : this.#read(rules, given, children);
    this.#answers.set(key, answer);
    if (answer instanceof Promise) {
      answer.then(
        (settled) => this.#answers.set(key, settled),
        () => undefined,
      );
    }
    return answer;
  }

  #read(rules: RowRules, given: unknown, children: readonly string[]): AllowedRows | Promise<AllowedRows> {
    if (given === true) return allRows;
    if (given === false) return noRows;
    if (given instanceof Within) return this.#readWithin(rules, given, children);
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw scopeFault(rules.model.name, "It must be true, false, a where, or within(…).");
    }
    return new AllowedRows(scopeFilter(rules, given, this.principal), rules.model);
  }

  #readWithin({ model, parents }: RowRules, { relation }: Within, children: readonly string[]): AllowedRows | Promise<AllowedRows> {
    const parent = parents.get(relation);
    const path = [...children, model.name];
    if (parent === undefined) {
      throw scopeFault(
        model.name,
        `within("${relation}") names no belongsTo relation with one foreign key; there are: ${[...parents.keys()].join(", ") || "none"}.`,
      );
    }
    if (path.includes(parent.collection)) throw scopeFault(model.name, `within forms a circle: ${[...path, parent.collection].join(", ")}.`);
    const target = this.#rules.get(parent.collection);
    if (target === undefined) throw scopeFault(model.name, `"${parent.collection}" is not a collection of the service.`);
    const related = ({ filter = everyRow, depth }: AllowedRows): AllowedRows => {
      if (depth === maxParents) throw scopeFault(model.name, `within("${relation}") leads through more than ${maxParents} parents.`);
      return new AllowedRows(
        { op: "related", path: [parent.foreignKey], collection: target.model, shared: target.isShared, filter },
        model,
        depth + 1,
      );
    };
    return whenReady(this.#askThrough(parent.collection, "read", "before", path), related);
  }
}

/** A query of an ORM is often a thenable that is no Promise. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

const everyRow: Filter = { op: "and", args: [] };

function keyOf(collection: string, action: ScopeAction, when: When): string {
  return `${collection} ${action} ${when}`;
}
