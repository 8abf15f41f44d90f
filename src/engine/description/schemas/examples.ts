import { pointer } from "../../../ground/http/pointer.js";
import { whenReady } from "../../../ground/http/whenReady.js";
import type { JsonSchema } from "../../operation/description.js";
import type { DescribedAction } from "../../operation/operation.js";
import { sampleOf } from "../../operation/sample.js";
import type { LinkedResource } from "../../resource/relations/link.js";
import type { ResourceField, Validation } from "../../resource/resource.js";
import { inputOf, toInput } from "../../resource/write/rowValues.js";
import type { Describing } from "../describing.js";
import { kindSchema } from "./kindSchema.js";
import { type GivenKey, writableMember, writableSchema } from "./rowSchemas.js";

type Members = Readonly<Record<string, unknown>>;

/*
 * Examples of bodies: values that the types of a collection accept, refinements included. A type that names examples of its own, with `.meta({ examples })`, is asked first; where no
 * value is found that is accepted, there is no example.
 */

/** The body of a POST. @param given the foreign key that the path gives */
export function createExample(describing: Describing, linked: LinkedResource, given?: GivenKey): Members | undefined {
  const row = rowExample(describing, linked);
  return row && without(row, [given?.key.name]);
}

/** The body of a PUT. */
export function replaceExample(describing: Describing, linked: LinkedResource, given?: GivenKey): Members | undefined {
  const row = rowExample(describing, linked);
  return row && without(row, [...linked.resource.idNames, given?.key.name]);
}

/** The body of a PATCH: one member, if possible none that refers to another row. */
export function updateExample(describing: Describing, linked: LinkedResource): Members | undefined {
  return describing.components.once(linked, "updateExample", () => {
    const row = rowExample(describing, linked);
    const ids = new Set(linked.resource.idNames);
    const references = referencesOf(linked);
    const fields = [...linked.fields.values()].filter(({ name }) => !ids.has(name));
    for (const field of fields.sort((a, b) => Number(references.has(a.name)) - Number(references.has(b.name)))) {
      const schema = writableMember(describing, linked, field);
      if (schema === undefined) continue;
      const value = sampleOf(describing.components.resolve, schema, "request");
      const isWhole = linked.resource.validateWhole === undefined || (row !== undefined && isRow(linked, { ...row, [field.name]: value }));
      if (isWhole && isValue(field, value)) return { [field.name]: value };
    }
    return undefined;
  });
}

/** The same as a JSON Patch (RFC 6902). */
export function jsonPatchExample(describing: Describing, linked: LinkedResource): readonly object[] | undefined {
  const [[name, value] = []] = Object.entries(updateExample(describing, linked) ?? {});
  return name === undefined ? undefined : [{ op: "add", path: pointer([name]), value }];
}

/** An id as a body names it. It need not be that of a row. */
export function idExample({ components }: Describing, { resource }: LinkedResource): unknown {
  const { idNames, fields } = resource;
  const parts = idNames.flatMap((name) => fields.get(name) ?? []);
  const examples = parts.map((part) => sampleOf(components.resolve, kindSchema({ ...part, nullable: false }), "request"));
  return examples.length === 1 ? examples[0] : examples.map((part) => encodeURIComponent(String(part))).join(",");
}

/** The input of an action. @param schema of the input */
export function inputExample({ components }: Describing, schema: JsonSchema, { accepts }: DescribedAction): unknown {
  const value = sampleOf(components.resolve, schema, "request");
  return isAccepted(() => accepts?.(value) ?? false) ? value : undefined;
}

/** A row as its writer sends it, with what is required. */
function rowExample(describing: Describing, linked: LinkedResource): Members | undefined {
  return describing.components.once(linked, "rowExample", () => {
    const required = sampleOf(describing.components.resolve, writableSchema(describing, linked), "request") as Members;
    const words = describing.environment.fixedSegments(linked.name);
    if (linked.resource.idNames.some((name) => words.has(required[name] as string))) return undefined;
    // A refinement may want one of several fields that are optional.
    const optional = optionalFields(describing, linked, required).map((sample) => ({ ...required, ...sample }));
    return [required, ...optional].find((row) => isRow(linked, row));
  });
}

/** An example of each field that need not be sent, and refers to nothing. */
function optionalFields(describing: Describing, linked: LinkedResource, required: Members): readonly Members[] {
  const references = referencesOf(linked);
  return [...linked.fields.values()].flatMap((field) => {
    if (Object.hasOwn(required, field.name) || references.has(field.name) || field.scalar?.link !== undefined) return [];
    const schema = writableMember(describing, linked, field);
    return schema === undefined ? [] : [{ [field.name]: sampleOf(describing.components.resolve, schema, "request") }];
  });
}

/** Names of the fields that refer to other rows. */
function referencesOf({ relations }: LinkedResource): ReadonlySet<string> {
  return new Set([...relations.values()].map(({ key }) => key.name));
}

function isRow({ resource }: LinkedResource, members: Members): boolean {
  const input = toInput(resource, members);
  const isWhole = () => resource.validateWhole === undefined || isOk(resource.validateWhole(input, [], members));
  return isAccepted(() => isOk(resource.validateWrite(input))) && isAccepted(isWhole);
}

function isValue(field: ResourceField, value: unknown): boolean {
  return isAccepted(() => isOk(field.validate(inputOf(field, value))));
}

function isOk(validation: Validation | Promise<Validation>): boolean | Promise<boolean> {
  return whenReady(validation, ({ ok }) => ok);
}

/** Whether a value is accepted at once. A validation that takes time, because it asks something else, is not waited for. */
function isAccepted(validate: () => boolean | Promise<boolean>): boolean {
  try {
    const accepts = validate();
    if (!(accepts instanceof Promise)) return accepts;
    accepts.catch(() => undefined);
  } catch {
    // A refinement of the developer that fails accepts nothing.
  }
  return false;
}

function without(row: Members, names: readonly (string | undefined)[]): Members {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}
