import { codeConverter } from "../../language/schema/codeValue.js";
import { allOperations, compileWrite, queryTableOf } from "../resource/define/define.js";
import { plainSettings } from "../resource/define/settings.js";
import type { Resource, ResourceField } from "../resource/resource.js";
import { TaggingViews } from "./rowTags.js";

/** A collection for calls on behalf of a principal: the same, but its rows hold the values of the schema instead of JSON. */
export function codeResource(resource: Resource): Resource {
  return withFields(resource, (field) => ({ ...field, toOutput: codeConverter(field) }));
}

/** A collection for calls of the system: no field has access rules, and all but generated ones can be written. */
export function systemResource(resource: Resource): Resource {
  const derived = withFields(resource, (field) => ({ ...field, toOutput: codeConverter(field), access: undefined, readOnly: false }));
  const { schema, fields, name } = derived;
  return {
    ...derived,
    // What clients may not do, code may: a collection that only code writes has operations for reading only.
    operations: new Set(allOperations),
    ...compileWrite(schema, fields),
    queryTable: queryTableOf(name, fields, plainSettings(resource.options)),
  };
}

function withFields(resource: Resource, change: (field: ResourceField) => ResourceField): Resource {
  const fields = new Map([...resource.fields].map(([name, field]) => [name, change(field)]));
  const id = fields.get(resource.id.name) ?? resource.id;
  return { ...resource, id, fields, views: new TaggingViews(fields.values(), resource.options.compact) };
}
