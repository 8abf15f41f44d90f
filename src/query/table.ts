import { ConfigurationError } from "../problem/index.js";
import type { GuardedField } from "../schema/access.js";
import type { Path } from "../storage/scalar.js";
import { aliasKeys } from "./alias.js";
import type { FilterKey } from "./claim.js";
import { type ControlName, controlNames, junctions } from "./control.js";
import { expandField, isNames } from "./expand.js";
import type { QueryField } from "./field.js";
import { operatorKeys, plainKeys } from "./keys.js";
import type { Operator } from "./operator.js";
import { derivedRanges, type Ranges, rangeKeys } from "./range.js";

/** What a legal key of the query string stands for. */
export type QueryParameter = { readonly kind: "control"; readonly name: ControlName } | FilterKey;

/** Every legal key of a collection's query string. Exact look-up: nothing else can be named. */
export interface QueryTable {
  readonly collection: string;
  readonly keys: ReadonlyMap<string, QueryParameter>;
  /** Fields by their paths with dots, as `sort`, `has` and a filter in a body name them. */
  readonly fields: ReadonlyMap<string, QueryField>;
  /** The same by every spelling that an operator may be attached to. */
  readonly spellings: ReadonlyMap<string, FilterKey>;
  readonly id: QueryField;
  /** Relations that fields of related rows are reached by. */
  readonly relations: ReadonlySet<string>;
  /** Places that `q` looks into. */
  readonly searchable: readonly QueryField[];
  /** What the developer should know: spellings that are not there because they would mean two things. */
  readonly warnings: readonly string[];
}

export interface QueryTableOptions {
  readonly collection: string;
  readonly id: string;
  /** Top-level fields that may be filtered by, all with what their types allow or each with fewer operators; absent means all. */
  readonly filter?: readonly string[] | Readonly<Record<string, true | readonly Operator[] | undefined>> | undefined;
  /** Top-level fields that may be sorted by; absent means all that have an order. */
  readonly sort?: readonly string[] | undefined;
  readonly ranges?: true | Ranges | undefined;
  /** Paths that `q` looks into. */
  readonly search?: readonly string[] | undefined;
  /** Other names in a query for fields that are called like a word of the language. */
  readonly param?: Readonly<Record<string, string>> | undefined;
}

/**
 * Compiles the legal keys of a collection, once at start-up.
 *
 * @throws {ConfigurationError} where a field bears a name that the query language needs, or an option names what is not there
 */
export function compileQueryTable(roots: Iterable<GuardedField>, options: QueryTableOptions): QueryTable {
  const { collection, param = {}, ranges } = options;
  const fields = expandFields([...roots], options);
  const id = fields.get(options.id);
  if (id === undefined) throw new ConfigurationError(`${collection}: there is no id field "${options.id}".`);
  const keys = new Map<string, QueryParameter>(controlNames.map((name) => [name, { kind: "control", name }]));
  const spellings = new Map<string, FilterKey>();
  const warnings = junctions
    .filter((word) => fields.has(word))
    .map((word) => `"${word}" is no field in a filter of a body: it means something there.`);
  const draft = { collection, keys, spellings, warnings, param };
  const all = [...fields.values()];
  for (const field of all) plainKeys(draft, field);
  for (const field of all) operatorKeys(draft, field);
  if (ranges !== undefined && ranges !== true) rangeKeys(draft, ranges, fields);
  aliasKeys(draft, all, ranges === true ? all.flatMap(derivedRanges) : []);
  return { collection, keys, fields, spellings, id, relations: new Set(), searchable: searchableFields(options, fields), warnings };
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
      throw new ConfigurationError(`${collection}: "search" names "${key}", which is no text that a query may see.`);
    }
    return field;
  });
}

/** A dotted path as stores take it. */
export function pathOf(key: string): Path {
  const [first = "", ...rest] = key.split(".");
  return [first, ...rest];
}
