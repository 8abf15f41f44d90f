import { ConfigurationError } from "../../../ground/problem/index.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import type { GuardedField } from "../../schema/access.js";
import type { FieldModel } from "../../schema/field.js";
import type { QueryField } from "../conditions/field.js";
import { isSortable, type Operator, operatorsOf } from "../conditions/operator.js";
import type { QueryTableOptions } from "../table.js";
import { reservedNames } from "./control.js";

/** Length of the longest path that a query may name. */
const maxPathDepth = 4;

/**
 * A top-level field and the members below it, as a query can name them. Queries cannot name a field that no principal may read.
 *
 * @throws {ConfigurationError} for a name that a query cannot use, or an operator that the type does not have
 */
export function expandField(root: GuardedField, options: QueryTableOptions): QueryField[] {
  const { collection, param = {}, sort } = options;
  if (reservedNames.has(root.name) && param[root.name] === undefined) {
    throw new ConfigurationError(
      `${collection}: the query language uses the word "${root.name}": name the field otherwise in queries, by "param: { ${root.name}: … }".`,
    );
  }
  const fields = expand(root, root, [root.name], false, { collection, sortable: sort?.includes(root.name) ?? true });
  if (root.access?.read === false) return [];
  const only = narrowing(root.name, options);
  if (only === undefined) return fields;
  for (const operator of only) {
    if (fields.some(({ operators }) => operators.includes(operator))) continue;
    const types = [...new Set(fields.flatMap(({ operators }) => operators))];
    throw new ConfigurationError(`${collection}: "filter" allows "${operator}" on "${root.name}", whose type has: ${types.join(", ")}.`);
  }
  return fields.map((field) => ({ ...field, operators: field.operators.filter((operator) => only.includes(operator)) }));
}

/** Operators that the definition allows; `undefined` for all of the type. */
function narrowing(name: string, { filter }: QueryTableOptions): readonly Operator[] | undefined {
  if (filter === undefined) return undefined;
  if (isNames(filter)) return filter.includes(name) ? undefined : [];
  const given = Object.hasOwn(filter, name) ? filter[name] : [];
  return given === true ? undefined : (given ?? []);
}

/** Whether the option is a list of fields rather than of their operators. */
export function isNames(filter: NonNullable<QueryTableOptions["filter"]>): filter is readonly string[] {
  return Array.isArray(filter);
}

/** A top-level field and the members below it, whoever may name them. */
export function membersOf(root: GuardedField, collection: string): QueryField[] {
  return expand(root, root, [root.name], false, { collection, sortable: true });
}

interface Rights {
  readonly collection: string;
  readonly sortable: boolean;
}

function expand(root: GuardedField, field: FieldModel, path: Path, parentNullable: boolean, rights: Rights): QueryField[] {
  // What every object has would be found in place of a field.
  if (field.name === "prototype" || field.name in {}) throw new ConfigurationError(`${rights.collection}: a field cannot be called "${field.name}".`);
  const nullable = parentNullable || field.nullable || field.optional;
  const own: QueryField = {
    key: path.join("."),
    path,
    field,
    leaf: field.kind === "array" ? (field.element ?? field) : field,
    root,
    operators: operatorsOf(field, path),
    sortable: rights.sortable && isSortable(field, path),
    nullable,
  };
  if (field.kind !== "object" || path.length >= maxPathDepth) return [own];
  return [own, ...[...(field.children?.values() ?? [])].flatMap((child) => expand(root, child, [...path, child.name], nullable, rights))];
}
