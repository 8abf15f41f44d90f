import { ConfigurationError } from "../../../ground/problem/index.js";
import type { Collection, Row } from "../../../ground/storage/collection.js";
import type { Filter } from "../../../ground/storage/filter.js";
import type { Id } from "../../../ground/storage/values/scalar.js";
import type { QueryTable } from "../../../language/query/table.js";
import { columnKind } from "../../../language/schema/field.js";
import type { Context } from "../../operation/context.js";
import type { Resource, ResourceField } from "../resource.js";
import { relationOf } from "./fieldLink.js";
import { foreignKeyOf, keyOf } from "./foreignKey.js";
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
  /** May be that of its key: then it is followed by who names members, as `avatar{url}`, and the name alone stands for the key. */
  readonly name: string;
  readonly kind: Relation["kind"];
  /** Whether it leads to several rows. */
  readonly many: boolean;
  /** The foreign key, wherever it stands: a relation may be followed by those who may read it. Several fields are the first one, guarded by the others. */
  readonly key: ResourceField;
  /** The names of its fields, in the order of the parts of the id. */
  readonly fields: readonly string[];
  /** The fields of a row that are needed to follow the relation: the foreign key, or the id if it leads to several rows. */
  readonly needs: readonly string[];
  /** The id that a row which holds the foreign key names; `undefined` if a part of it is null. */
  idIn(row: Row): Id | undefined;
  /** A filter for the rows whose foreign key names one of these rows. */
  namesOneOf(rows: readonly Row[]): Filter;
  readonly target: LinkedResource;
  /** The rows that it leads to, if they are in no collection of the service. */
  rows?(context: Context): Pick<Required<Collection>, "getMany">;
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
    const own = relations.get(resource.name);
    for (const [name, relation] of resource.relations) own?.set(name, linkRelation(resource, name, relation, linked));
    for (const [name, field] of resource.fields) {
      const relation = relationOf(resource.name, field);
      if (relation) own?.set(name, relation);
    }
  }
  return linked;
}

function linkRelation(resource: Resource, name: string, relation: Relation, linked: ReadonlyMap<string, LinkedResource>): LinkedRelation {
  const { kind, collection, foreignKey } = relation;
  const where = `${resource.name}: the relation "${name}"`;
  const target = linked.get(collection);
  if (target === undefined) throw new ConfigurationError(`${where} names "${collection}", which is not a resource.`);
  const other = target.resource;
  if (resource.isOpenToRead && !other.isOpenToRead) {
    throw new ConfigurationError(`${where} shows "${collection}" to callers without credentials; say "anonymous" there too, or leave it out.`);
  }
  const many = kind === "hasMany";
  const [holder, named] = many ? [other, resource] : [resource, other];
  const { idNames } = named;
  const fields = [foreignKey].flat();
  if (idNames.length === 0 || fields.length !== idNames.length || (many && fields.length > 1)) {
    throw new ConfigurationError(
      `${where} needs a field for each part of the id of "${named.name}": ${idNames.join(", ") || "it has none"}; only belongsTo has several.`,
    );
  }
  for (const [index, field] of fields.entries()) {
    const key = holder.fields.get(field);
    if (key === undefined) throw new ConfigurationError(`${where} names "${field}", which is not a field of "${holder.name}".`);
    if (columnKind(key) !== columnKind(named.fields.get(idNames[index] ?? "") ?? named.id)) {
      throw new ConfigurationError(`${where}: "${field}" cannot hold an id of "${named.name}": their types differ.`);
    }
  }
  const key = keyOf(holder, fields) as ResourceField;
  return { name, kind, many, key, needs: many ? idNames : fields, target, ...foreignKeyOf(fields, idNames) };
}
