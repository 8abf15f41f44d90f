import { ConfigurationError } from "../../ground/problem/index.js";
import type { Path } from "../../ground/storage/values/scalar.js";
import type { GuardedField } from "../schema/access.js";
import type { QueryField } from "./conditions/field.js";
import type { Operator } from "./conditions/operator.js";
import { aliasKeys } from "./grammar/alias.js";
import type { FilterKey } from "./grammar/claim.js";
import { type ControlName, controlNames, junctions, listControls } from "./grammar/control.js";
import { expandField, isNames, membersOf } from "./grammar/expand.js";
import { operatorKeys, plainKeys } from "./paging/keys.js";
import { derivedRanges, type Ranges, rangeKeys } from "./values/range.js";

/** The meaning of a legal key of the query string. */
export type QueryParameter = { readonly kind: "control"; readonly name: ControlName } | FilterKey;

/** Every legal key of a collection's query string. The look-up is exact: nothing else can be named. */
export interface QueryTable {
  readonly collection: string;
  readonly keys: ReadonlyMap<string, QueryParameter>;
  /** Fields by their paths with dots, as `sort`, `has` and a filter in a body name them. */
  readonly fields: ReadonlyMap<string, QueryField>;
  /** Fields by every spelling that an operator may be attached to. */
  readonly spellings: ReadonlyMap<string, FilterKey>;
  /** The last keys of each order: the id, or its parts. */
  readonly ids: readonly QueryField[];
  /** Relations through which fields of related rows are named. */
  readonly relations: ReadonlySet<string>;
  /** Fields that `q` searches. */
  readonly searchable: readonly QueryField[];
  /** Warnings for the developer: spellings that do not exist because they would be ambiguous. */
  readonly warnings: readonly string[];
}

export interface QueryTableOptions {
  readonly collection: string;
  /** The name of the id, or of its parts; a field, if queries cannot name it. */
  readonly id: string | readonly string[] | GuardedField;
  /** Top-level fields that can be filtered, with the operators of their types or with fewer; absent means all. */
  readonly filter?: readonly string[] | Readonly<Record<string, true | readonly Operator[] | undefined>> | undefined;
  /** Top-level fields that can be sorted; absent means all that have an order. */
  readonly sort?: readonly string[] | undefined;
  readonly ranges?: true | Ranges | undefined;
  /** Paths that `q` searches. */
  readonly search?: readonly string[] | undefined;
  /** Other names in a query for fields that are called like a word of the language. */
  readonly param?: Readonly<Record<string, string>> | undefined;
  /** Whether lists can show deleted rows, by the word `deleted`. */
  readonly keepsDeleted?: boolean | undefined;
}

/**
 * Compiles the legal keys of a collection, once at start-up.
 *
 * @throws {ConfigurationError} if a field has a name that the query language needs, or an option names an unknown field
 */
export function compileQueryTable(roots: Iterable<GuardedField>, options: QueryTableOptions): QueryTable {
  const { collection, param = {}, ranges } = options;
  const fields = expandFields([...roots], options);
  const ids = [options.id].flat().map((id) => {
    const field = typeof id === "string" ? fields.get(id) : membersOf(id, collection)[0];
    if (field === undefined) throw new ConfigurationError(`${collection}: there is no id field "${id}".`);
    return field;
  });
  const keys = new Map<string, QueryParameter>(controlNames.map((name) => [name, { kind: "control", name }]));
  for (const name of listControls) keys.set(`${name}[]`, { kind: "control", name });
  if (options.keepsDeleted) {
    if (fields.has("deleted"))
      throw new ConfigurationError(`${collection}: a field cannot be called "deleted" where "softDelete" makes it a word of queries.`);
    keys.set("deleted", { kind: "control", name: "deleted" });
  }
  const spellings = new Map<string, FilterKey>();
  const warnings = junctions
    .filter((word) => fields.has(word))
    .map((word) => `"${word}" is not usable as a field in a filter of a body: it is a reserved word there.`);
  const draft = { collection, keys, spellings, warnings, param };
  const all = [...fields.values()];
  for (const field of all) plainKeys(draft, field);
  for (const field of all) operatorKeys(draft, field);
  if (ranges !== undefined && ranges !== true) rangeKeys(draft, ranges, fields);
  aliasKeys(draft, all, ranges === true ? all.flatMap(derivedRanges) : []);
  return { collection, keys, fields, spellings, ids, relations: new Set(), searchable: searchableFields(options, fields), warnings };
}

function expandFields(roots: readonly GuardedField[], options: QueryTableOptions): Map<string, QueryField> {
  checkOptions(roots, options);
  const fields = new Map<string, QueryField>();
  for (const root of roots) {
    for (const field of expandField(root, options)) {
      if (fields.has(field.key)) throw new ConfigurationError(`${options.collection}: "${field.key}" names two fields in a query.`);
      fields.set(field.key, field);
    }
  }
  return fields;
}

function checkOptions(roots: readonly GuardedField[], { collection, filter = [], sort = [], param = {} }: QueryTableOptions): void {
  const known = new Set(roots.map(({ name }) => name));
  const named = { filter: isNames(filter) ? filter : Object.keys(filter), sort, param: Object.keys(param) };
  for (const [option, names] of Object.entries(named)) {
    for (const name of names) {
      if (known.has(name)) continue;
      throw new ConfigurationError(`${collection}: "${option}" names "${name}"; the schema has: ${[...known].join(", ")}.`);
    }
  }
}

function searchableFields({ search = [], collection }: QueryTableOptions, fields: ReadonlyMap<string, QueryField>): QueryField[] {
  return search.map((key) => {
    const field = fields.get(key);
    if (field?.leaf.kind !== "text" || field.field.kind === "array") {
      throw new ConfigurationError(`${collection}: "search" names "${key}", which is not a text field that queries can read.`);
    }
    return field;
  });
}

/** All fields of a collection by their paths, also those that clients may not name in queries: for conditions of the developer. */
export function fieldTable(collection: string, roots: Iterable<GuardedField>): ReadonlyMap<string, QueryField> {
  return new Map([...roots].flatMap((root) => membersOf(root, collection)).map((field) => [field.key, field]));
}

/** A dotted path in the form that stores take. */
export function pathOf(key: string): Path {
  const [first = "", ...rest] = key.split(".");
  return [first, ...rest];
}
