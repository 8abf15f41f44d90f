import type { Describing } from "../../engine/description/describing.js";
import { filterable } from "../../engine/description/parameters/filters.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import type { ResourceField } from "../../engine/resource/resource.js";

const operationNames = ["list", "read", "create", "replace", "update", "remove"] as const;

/** What calls of a collection may contain, for programs that make queries or clients: what JSON Schema and parameters do not say. */
export function collectionsOf(describing: Describing): Readonly<Record<string, object>> {
  const described = [...describing.resources.values()].map((linked) => [linked.name, describedCollection(describing, linked)] as const);
  return Object.fromEntries(described.filter(([, { operations }]) => operations.length > 0));
}

function describedCollection(describing: Describing, linked: LinkedResource) {
  const { environment, gate, names, operations, resources } = describing;
  const { name, resource } = linked;
  const fields = [...linked.fields.values()].filter((field) => gate(field, "read") !== "hidden");
  const namesIn = (view: "full" | "compact") =>
    linked.views
      .fieldsOf(view)
      .filter((field) => gate(field, "read") !== "hidden")
      .map(nameOf);
  const relations = [...linked.relations.values()].filter(({ key, target }) => gate(key, "read") !== "hidden" && resources.has(target.name));
  const actions = [...operations.values()].flatMap(({ name: operation, action, access }) =>
    action !== undefined && operation === `${name}.${access?.action}` ? [[access?.action ?? "", action] as const] : [],
  );
  const ownEvents = [...resource.events.keys(), ...actions.flatMap(([, { events = [] }]) => events)];
  return {
    schema: names.of(name),
    operations: operationNames.filter((each) => operations.has(`${name}.${each}`)),
    id: resource.idNames,
    views: { full: namesIn("full"), compact: namesIn("compact") },
    optional: fields.filter(({ optional }) => optional).map(nameOf),
    files: fields.filter(({ scalar }) => scalar?.link !== undefined).map(nameOf),
    restricted: fields.filter(({ access }) => access?.read !== undefined).map(nameOf),
    relations: Object.fromEntries(relations.map(({ name: relation, many, target }) => [relation, { collection: target.name, many }])),
    actions: Object.fromEntries(actions.map(([action, { on }]) => [action, on])),
    events: operations.has("webhooks.create") ? [...new Set(ownEvents)] : [],
    ...(operations.has(`${name}.list`) && queriesOf(describing, linked)),
    perPage: { default: environment.limits.perPage, maximum: environment.limits.maxPerPage },
  };
}

function nameOf({ name }: Pick<ResourceField, "name">): string {
  return name;
}

/** What lists can be asked for: paths with their types and operators, and what can be sorted and searched. */
function queriesOf(describing: Describing, { table }: LinkedResource): object {
  const filter = filterable(describing, table).map(
    ([key, { field, leaf, operators }]) => [key, { type: field.kind === "array" ? `${leaf.kind}[]` : leaf.kind, operators }] as const,
  );
  const sortable = [...table.fields.values()].filter((field) => field.sortable && describing.gate(field.root, "sort") !== "hidden");
  const searchable = table.searchable.filter((field) => describing.gate(field.root, "filter") !== "hidden");
  return { filter: Object.fromEntries(filter), sort: sortable.map(({ key }) => key), search: searchable.map(({ key }) => key) };
}
