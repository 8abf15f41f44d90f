import type { JsonSchema } from "../../operation/description.js";
import { isMade } from "../../resource/generators.js";
import type { LinkedRelation, LinkedResource } from "../../resource/relations/link.js";
import type { ResourceField } from "../../resource/resource.js";
import type { Reference } from "../components.js";
import type { Describing } from "../describing.js";
import { pascalCase } from "../schemaNames.js";
import { fieldSchema, type Side } from "./fieldSchema.js";
import { listLinks, listMeta } from "./listSchemas.js";
import { arrayOf } from "./object.js";
import { patchSchema } from "./patchSchema.js";

/** A row as its own resource shows it: the default view. */
export function rowSchema(describing: Describing, linked: LinkedResource): Reference {
  const name = describing.names.of(linked.name);
  return describing.components.ref("schemas", name, () => shownSchema(describing, linked, "full"));
}

/** A row as lists and relations show it: the compact view. The same schema if both views are the same. */
export function listedSchema(describing: Describing, linked: LinkedResource): Reference {
  const [full, compact] = (["full", "compact"] as const).map((kind) => linked.views.fieldsOf(kind).map(({ name }) => name));
  if (String(full) === String(compact)) return rowSchema(describing, linked);
  const name = `${describing.names.of(linked.name)}Listed`;
  return describing.components.ref("schemas", name, () => shownSchema(describing, linked, "compact"));
}

/** A page of a list. */
export function listSchema(describing: Describing, linked: LinkedResource): JsonSchema {
  const { components, environment, names } = describing;
  const rows = arrayOf(listedSchema(describing, linked));
  if (environment.lists.envelope === "none") return rows;
  return components.ref("schemas", `${names.of(linked.name)}List`, () => ({
    type: "object",
    required: ["data", "meta", "links"],
    properties: { data: rows, meta: listMeta(components), links: listLinks(components) },
  })) as Reference & JsonSchema;
}

function shownSchema(describing: Describing, linked: LinkedResource, kind: "full" | "compact"): JsonSchema {
  const { gate } = describing;
  const inView = new Set(linked.views.fieldsOf(kind).map(({ name }) => name));
  const shown = [...linked.fields.values()].filter((field) => isColumn(linked, field) && gate(field, "read") !== "hidden");
  const properties = shown.map((field) => [field.name, shownField(describing, linked, field)] as const);
  const relations = [...linked.relations.values()]
    .filter(({ key, target }) => gate(key, "read") !== "hidden" && describing.resources.has(target.name))
    .flatMap((relation) => relationMembers(describing, relation));
  const required = shown
    .filter((field) => inView.has(field.name) && isAlwaysShown(field) && gate(field, "read") === "allowed")
    .map(({ name }) => name);
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries([...properties, ...relations]),
  };
}

/** A field that holds the id of a file shows the file instead if a request asks for it. */
function shownField(describing: Describing, linked: LinkedResource, field: ResourceField): JsonSchema {
  const schema = described(describing, linked, field, "output");
  const target = linked.relations.get(field.name)?.target;
  if (target === undefined) return schema;
  const file = describing.components.own("RowFile", () => ({ ...shownSchema(describing, target, "full"), required: [] }));
  return { anyOf: [schema, file], description: `The file in place of its id with \`include=${field.name}\` or \`fields=${field.name}{…}\`.` };
}

/** A composite id is no field of rows: its parts are. */
function isColumn({ resource }: LinkedResource, field: ResourceField): boolean {
  return resource.idNames.length === 1 || field !== resource.id;
}

/** A field without a value is null if it may be null, and else absent. */
function isAlwaysShown({ nullable, optional, access }: ResourceField): boolean {
  return (nullable || !optional) && (access?.read === undefined || access.read === true);
}

function relationMembers(describing: Describing, { name, many, target }: LinkedRelation): (readonly [string, JsonSchema])[] {
  const row = listedSchema(describing, target);
  const included = many ? arrayOf(row) : row;
  const member = { anyOf: [included, { type: "null" }], description: `Present with \`include=${name}\`.` };
  const truncated = { const: true, description: `There are more rows than \`${name}\` shows.` };
  return many
    ? [
        [name, member],
        [`${name}Truncated`, truncated],
      ]
    : [[name, member]];
}

/** A field with what the definition says of it beside its type. */
function described(describing: Describing, { name: collection }: LinkedResource, field: ResourceField, side: Side): JsonSchema {
  const given = describing.schemas[`${collection}.${field.name}`];
  const component = `${describing.names.of(collection)}${pascalCase(field.name)}${side === "input" ? "Input" : ""}`;
  const schema = given ?? fieldSchema(field, side, describing.components, component);
  const more = { ...(side === "output" && isMade(field) && { readOnly: true }), ...(field.access?.read === false && { writeOnly: true }) };
  // Generators do not read what stands beside a reference.
  return "$ref" in schema && Object.keys(more).length > 0 ? { allOf: [schema], ...more } : { ...schema, ...more };
}

/** The body of a POST. @param given the foreign key that the path gives, below another row */
export function createSchema(describing: Describing, linked: LinkedResource, given?: GivenKey): Reference {
  const name = `${nameOf(describing, linked, given)}Create`;
  const optional = new Set([given?.key.name ?? ""]);
  return describing.components.ref("schemas", name, () => {
    const body = bodySchema(describing, linked, writable(describing, linked), optional);
    const properties = body["properties"] as Record<string, JsonSchema>;
    const { id, idNames } = linked.resource;
    const member = idNames.length === 1 && id.kind === "text" && properties[id.name];
    const words = [...describing.environment.fixedSegments(linked.name).keys()];
    // Words with a path of their own are no ids.
    if (member && words.length > 0) properties[id.name] = { ...member, not: { enum: words } };
    return body;
  });
}

/** A foreign key that the path gives, and the collection that it refers to. */
export interface GivenKey {
  readonly parent: string;
  readonly key: ResourceField;
}

/** Below another row a body has a schema of its own only if the foreign key is required elsewhere. */
function nameOf({ names }: Describing, { name }: LinkedResource, given: GivenKey | undefined): string {
  return given === undefined || isOptional(given.key) ? names.of(name) : `${names.of(given.parent)}${names.of(name)}`;
}

/** The body of a PUT: it may send back the fields that only the server sets. */
export function replaceSchema(describing: Describing, linked: LinkedResource, given?: GivenKey): Reference {
  const name = `${nameOf(describing, linked, given)}Replace`;
  return describing.components.ref("schemas", name, () => {
    const fixed = [...linked.fields.values()].filter(
      (field) => isColumn(linked, field) && isMade(field) && describing.gate(field, "read") === "allowed",
    );
    const fields = writable(describing, linked);
    // What GET does not show cannot be sent back: it stays as it is.
    const unread = fields.filter(({ access, heavy }) => access?.read === false || heavy).map(({ name: field }) => field);
    const body = bodySchema(describing, linked, fields, new Set([...linked.resource.idNames, ...unread, given?.key.name ?? ""]));
    const sentBack = fixed.map((field) => [field.name, { ...described(describing, linked, field, "output"), description: sentBackText }] as const);
    return { ...body, properties: { ...Object.fromEntries(sentBack), ...(body["properties"] as object) } };
  });
}

const sentBackText = "Set by the server: leave it out, or send it as it is.";

/** The body of a PATCH as a merge patch (RFC 7396). */
export function updateSchema(describing: Describing, linked: LinkedResource): Reference {
  const name = `${describing.names.of(linked.name)}Patch`;
  return describing.components.ref("schemas", name, () => {
    const ids = new Set(linked.resource.idNames);
    const fields = writable(describing, linked).filter((field) => !ids.has(field.name));
    const properties = fields.map((field) => [field.name, patchSchema(described(describing, linked, field, "input"), field)] as const);
    return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
  });
}

/** All fields of a row that the caller may set. */
export function writableSchema(describing: Describing, linked: LinkedResource): JsonSchema {
  return bodySchema(describing, linked, writable(describing, linked), new Set());
}

/** A field as the caller sets it; `undefined` if it may not. */
export function writableMember(describing: Describing, linked: LinkedResource, field: ResourceField): JsonSchema | undefined {
  return writable(describing, linked).includes(field) ? described(describing, linked, field, "input") : undefined;
}

function bodySchema(describing: Describing, linked: LinkedResource, fields: readonly ResourceField[], optional: ReadonlySet<string>): JsonSchema {
  const required = fields.filter((field) => !isOptional(field) && !optional.has(field.name)).map(({ name }) => name);
  return {
    type: "object",
    additionalProperties: false,
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.name, described(describing, linked, field, "input")])),
  };
}

function isOptional({ optional, hasDefault }: ResourceField): boolean {
  return optional || hasDefault;
}

/** The fields that the caller may set. */
function writable({ gate }: Describing, linked: LinkedResource): readonly ResourceField[] {
  return [...linked.fields.values()].filter((field) => isColumn(linked, field) && !isMade(field) && gate(field, "write") !== "hidden");
}
