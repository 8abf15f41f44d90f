import { ConfigurationError } from "../problem/index.js";
import type { GuardedField } from "../schema/access.js";
import type { FieldModel } from "../schema/field.js";
import type { Path } from "../storage/scalar.js";

/** What a legal key of the query string stands for. */
export type QueryParameter = { readonly kind: "control"; readonly name: ControlName } | QueryField;

/** A field, or a member of one, that a query may name. */
export interface QueryField {
  readonly kind: "field";
  /** As clients write it: `address.city`. */
  readonly key: string;
  readonly path: Path;
  readonly field: FieldModel;
  /** The top-level field, whose policy holds for all below it. */
  readonly root: GuardedField;
  readonly filterable: boolean;
  readonly sortable: boolean;
}

const controlNames = ["page", "perPage", "sort"] as const;
export type ControlName = (typeof controlNames)[number];

/** Words that the query language uses or will use: no field may be called so. */
const reservedNames = new Set([
  ...controlNames,
  ...["cursor", "count", "fields", "exclude", "include", "expand", "q", "search", "has", "_method", "confirm", "dryRun"],
  ...["__proto__", "constructor", "prototype"],
]);

/** Every legal key of a collection's query string. Exact look-up: nothing else can be named. */
export interface QueryTable {
  readonly keys: ReadonlyMap<string, QueryParameter>;
  readonly id: QueryField;
}

export interface QueryTableOptions {
  readonly collection: string;
  readonly id: string;
  /** Names of the top-level fields that may be filtered and sorted by; absent means all. */
  readonly filter?: readonly string[] | undefined;
  readonly sort?: readonly string[] | undefined;
}

const maximumPathDepth = 4;
const ordered = new Set<FieldModel["kind"]>(["text", "uuid", "enum", "int", "number", "bigint", "boolean", "date", "datetime"]);

/**
 * Compiles the legal keys of a collection, once at start-up.
 *
 * @throws {ConfigurationError} where a field bears a name that the query language needs
 */
export function compileQueryTable(fields: Iterable<GuardedField>, options: QueryTableOptions): QueryTable {
  const keys = new Map<string, QueryParameter>(controlNames.map((name) => [name, { kind: "control", name }]));
  let id: QueryField | undefined;
  for (const root of fields) {
    if (reservedNames.has(root.name)) {
      throw new ConfigurationError(`${options.collection}: a field cannot be called "${root.name}": the query language uses that word.`);
    }
    const may = { filter: options.filter?.includes(root.name) ?? true, sort: options.sort?.includes(root.name) ?? true };
    for (const parameter of expand(root, root, [root.name], may)) {
      if (keys.has(parameter.key)) throw new ConfigurationError(`${options.collection}: "${parameter.key}" names two fields in a query.`);
      keys.set(parameter.key, parameter);
      if (parameter.key === options.id) id = parameter;
    }
  }
  if (id === undefined) throw new ConfigurationError(`${options.collection}: there is no id field "${options.id}".`);
  return { keys, id };
}

function expand(root: GuardedField, field: FieldModel, path: Path, may: { filter: boolean; sort: boolean }): QueryField[] {
  const scalar = ordered.has(field.kind) || (field.kind === "union" && (field.members ?? []).every((member) => ordered.has(member.kind)));
  const list = field.kind === "array" && field.element !== undefined && ordered.has(field.element.kind);
  const own: QueryField = {
    kind: "field",
    key: path.join("."),
    path,
    field,
    root,
    filterable: may.filter && (scalar || list),
    // Digits inside JSON would sort as text.
    sortable: may.sort && ordered.has(field.kind) && (field.kind !== "bigint" || path.length === 1),
  };
  if (field.kind !== "object" || path.length >= maximumPathDepth) return [own];
  return [own, ...[...(field.children?.values() ?? [])].flatMap((child) => expand(root, child, [...path, child.name], may))];
}
