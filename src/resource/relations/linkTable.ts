import { ConfigurationError } from "../../problem/index.js";
import type { QueryField } from "../../query/conditions/field.js";
import { operatorKeys, plainKeys } from "../../query/paging/keys.js";
import type { QueryParameter, QueryTable } from "../../query/table.js";
import { type GuardedField, permission } from "../../schema/access.js";
import type { Resource, ResourceField } from "../resource.js";

/**
 * The query table of a resource among others: a relation that says so can be filtered over, as `customer.name`.
 *
 * @throws {ConfigurationError} for an unknown name in the related collection
 */
export function linkTable(resource: Resource, resources: ReadonlyMap<string, Resource>): QueryTable {
  const table = resource.queryTable;
  const over = [...resource.relations].flatMap(([name, relation]) => {
    const target = resources.get(relation.collection);
    const key = resource.fields.get(relation.foreignKey);
    if (relation.kind !== "belongsTo" || relation.filter === undefined || target === undefined || key === undefined) return [];
    return relation.filter.flatMap((member) => relatedFields(resource, name, key, target, member));
  });
  if (over.length === 0) return table;
  const draft = {
    collection: resource.name,
    keys: new Map<string, QueryParameter>(table.keys),
    spellings: new Map(table.spellings),
    warnings: [...table.warnings],
    param: {},
  };
  for (const field of over) plainKeys(draft, field);
  for (const field of over) operatorKeys(draft, field);
  const fields = new Map([...table.fields, ...over.map((field) => [field.key, field] as const)]);
  const relations = new Set(over.flatMap(({ relation }) => relation ?? []));
  return { ...table, relations, keys: draft.keys, spellings: draft.spellings, warnings: draft.warnings, fields };
}

function relatedFields(resource: Resource, relation: string, key: ResourceField, target: Resource, member: string): QueryField[] {
  const found = [...target.queryTable.fields.values()].filter(({ path }) => path[0] === member);
  if (found.length === 0) {
    throw new ConfigurationError(`${resource.name}: the relation "${relation}" filters by "${member}", which is not filterable in "${target.name}".`);
  }
  return found.map((field) => ({ ...field, key: `${relation}.${field.key}`, root: guarded(key, field.root), sortable: false, relation }));
}

/** Both ends must be allowed; a principal without one of the rights does not learn that the path exists. */
function guarded(key: GuardedField, root: GuardedField): GuardedField {
  if (key.access === undefined && root.access === undefined) return { ...root, name: key.name };
  const both = (use: "read" | "filter") => (principal: Parameters<typeof permission>[2]) =>
    permission(key.access, use, principal) === "allowed" && permission(root.access, use, principal) === "allowed";
  return { ...root, name: key.name, access: { read: both("read"), filter: both("filter"), onForbidden: "hide" } };
}
