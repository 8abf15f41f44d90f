import { ConfigurationError } from "../../problem/index.js";
import type { QueryTable } from "../../query/table.js";
import type { Resource, ResourceField } from "../resource.js";
import { linkTable } from "./linkTable.js";
import type { Relation } from "./relation.js";

/** A resource among the others of its service: its relations lead somewhere. */
export interface LinkedResource {
  readonly name: string;
  readonly resource: Resource;
  readonly fields: ReadonlyMap<string, ResourceField>;
  readonly views: Resource["views"];
  readonly relations: ReadonlyMap<string, LinkedRelation>;
  /** What its queries may name, fields of related rows among it. */
  readonly table: QueryTable;
}

/** A relation with both of its ends. */
export interface LinkedRelation {
  readonly name: string;
  readonly kind: Relation["kind"];
  /** Whether it leads to several rows. */
  readonly many: boolean;
  /** The foreign key, wherever it stands: a relation may be followed by those who may read it. */
  readonly key: ResourceField;
  readonly target: LinkedResource;
}

/**
 * Connects the resources of a service. Relations may form circles.
 *
 * @throws {ConfigurationError} for a relation that leads nowhere
 */
export function linkResources(resources: readonly Resource[]): ReadonlyMap<string, LinkedResource> {
  const relations = new Map(resources.map(({ name }) => [name, new Map<string, LinkedRelation>()]));
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const linked = new Map(
    resources.map((resource): [string, LinkedResource] => {
      const { name, fields, views } = resource;
      return [name, { name, resource, fields, views, relations: relations.get(name) ?? new Map(), table: linkTable(resource, byName) }];
    }),
  );
  for (const resource of resources) {
    for (const [name, relation] of resource.relations) relations.get(resource.name)?.set(name, linkRelation(resource, name, relation, linked));
  }
  return linked;
}

function linkRelation(resource: Resource, name: string, relation: Relation, linked: ReadonlyMap<string, LinkedResource>): LinkedRelation {
  const { kind, collection, foreignKey } = relation;
  const target = linked.get(collection);
  const key = (kind === "belongsTo" ? resource : target?.resource)?.fields.get(foreignKey);
  if (target === undefined || key === undefined) throw new ConfigurationError(`${resource.name}: the relation "${name}" leads nowhere.`);
  const named = kind === "belongsTo" ? target.resource : resource;
  if (named.idNames.length > 1) {
    throw new ConfigurationError(`${resource.name}: the relation "${name}" needs one key for the id of "${named.name}", which is composite.`);
  }
  return { name, kind, many: kind === "hasMany", key, target };
}
