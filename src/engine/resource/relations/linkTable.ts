import { ConfigurationError } from "../../../ground/problem/index.js";
import type { QueryField } from "../../../language/query/conditions/field.js";
import { operatorKeys, plainKeys } from "../../../language/query/paging/keys.js";
import type { QueryParameter, QueryTable } from "../../../language/query/table.js";
import { type GuardedField, guardedBy } from "../../../language/schema/access.js";
import type { Resource } from "../resource.js";
import { keyOf } from "./foreignKey.js";

/**
 * The query table of a resource among others: a relation that says so can be filtered over, as `customer.name`.
 *
 * @throws {ConfigurationError} for an unknown name in the related collection
 */
export function linkTable(resource: Resource, resources: ReadonlyMap<string, Resource>): QueryTable {
  const table = resource.queryTable;
  const over = [...resource.relations].flatMap(([name, relation]) => {
    const target = resources.get(relation.collection);
    const key = keyOf(resource, relation.foreignKey);
    if (relation.kind !== "belongsTo" || relation.filter === undefined || target === undefined || key === undefined) return [];
    return relation.filter.flatMap((member) => relatedFields(resource, name, key, target, member));
  });
  if (over.length === 0) return table;
  const draft = {
    ...table,
    keys: new Map<string, QueryParameter>(table.keys),
    spellings: new Map(table.spellings),
    warnings: [...table.warnings],
    param: {},
  };
  for (const field of over) plainKeys(draft, field);
  for (const field of over) operatorKeys(draft, field);
  const fields = new Map([...table.fields, ...over.map((field) => [field.key, field] as const)]);
  const relations = new Set(over.flatMap(({ relation }) => relation ?? []));
  return { ...draft, relations, fields };
}

function relatedFields(resource: Resource, relation: string, key: GuardedField, target: Resource, member: string): QueryField[] {
  const found = [...target.queryTable.fields.values()].filter(({ path }) => path[0] === member);
  if (found.length === 0) {
    throw new ConfigurationError(`${resource.name}: the relation "${relation}" filters by "${member}", which is not filterable in "${target.name}".`);
  }
  return found.map((field) => {
    // Both ends must be allowed. Of this collection the condition reveals the key only.
    const root = guardedBy({ ...field.root, reveals: [] }, key);
    return { ...field, key: `${relation}.${field.key}`, root, sortable: false, relation };
  });
}
