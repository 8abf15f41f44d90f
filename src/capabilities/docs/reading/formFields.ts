import type { JsonSchema } from "../../../engine/operation/description.js";
import { resolveSchema, type Spec, type SpecMedia } from "./spec.js";

/** A field of a form, as a page offers it. `lines` is several texts, `files` several files. */
export interface FormField {
  /** As it is sent: `address[city]`. */
  readonly name: string;
  readonly kind: "text" | "lines" | "choice" | "file" | "files";
  readonly required?: true;
  /** Of a choice. */
  readonly values?: readonly string[];
}

/** A form that an operation takes. */
export interface FormShape {
  readonly types: readonly string[];
  readonly fields: readonly FormField[];
  /** The form also takes fields of other names. */
  readonly isOpen?: true;
}

const formType = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)$/;
const maxDepth = 3;

/** The forms among the bodies of an operation. Types with the same schema are one form. */
export function formShapes(spec: Spec, content: Readonly<Record<string, SpecMedia>>): readonly FormShape[] {
  const bySchema = new Map<string, { readonly types: string[]; readonly schema: JsonSchema }>();
  for (const [type, { schema = {} }] of Object.entries(content)) {
    if (!formType.test(type)) continue;
    const key = JSON.stringify(schema);
    const known = bySchema.get(key) ?? { types: [], schema: resolveSchema(spec, schema) };
    known.types.push(type);
    bySchema.set(key, known);
  }
  return [...bySchema.values()].map(({ types, schema }) => ({
    types,
    fields: membersOf(spec, schema, { name: "", isRequired: true, depth: 0 }),
    ...(schema["additionalProperties"] !== undefined && schema["additionalProperties"] !== false && { isOpen: true as const }),
  }));
}

interface FieldPosition {
  readonly name: string;
  readonly isRequired: boolean;
  readonly depth: number;
}

function membersOf(spec: Spec, schema: JsonSchema, { name, isRequired, depth }: FieldPosition): readonly FormField[] {
  if (depth > maxDepth) return [];
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>).flatMap(([member, property]) =>
    fieldsOf(spec, property, {
      name: depth === 0 ? member : `${name}[${member}]`,
      isRequired: isRequired && required.includes(member),
      depth: depth + 1,
    }),
  );
}

function fieldsOf(spec: Spec, schema: JsonSchema, position: FieldPosition): readonly FormField[] {
  const known = withoutNull(spec, schema);
  if (known["readOnly"] === true) return [];
  const field = (kind: FormField["kind"], values?: readonly string[]): readonly FormField[] => [
    { name: position.name, kind, ...(position.isRequired && { required: true as const }), ...(values && { values }) },
  ];
  const { enum: values } = known;
  if (Array.isArray(values)) return field("choice", values.filter((value) => value !== null).map(String));
  if (isFile(known)) return field("file");
  switch (typeOf(known)) {
    case "boolean":
      return field("choice", ["true", "false"]);
    case "object":
      return membersOf(spec, known, position);
    case "array": {
      const item = withoutNull(spec, (known["items"] ?? {}) as JsonSchema);
      if (isFile(item)) return field("files");
      return typeOf(item) === "object" ? membersOf(spec, item, { ...position, name: `${position.name}[0]` }) : field("lines");
    }
    default:
      return field("text");
  }
}

/** The schema of a value that may also be null. */
function withoutNull(spec: Spec, schema: JsonSchema): JsonSchema {
  const known = resolveSchema(spec, schema);
  const choices = (known["anyOf"] ?? known["oneOf"]) as readonly JsonSchema[] | undefined;
  const first = choices?.find(({ type }) => type !== "null");
  return first === undefined ? known : { ...resolveSchema(spec, first), readOnly: known["readOnly"] };
}

function typeOf({ type, properties }: JsonSchema): unknown {
  const known = Array.isArray(type) ? type.find((each) => each !== "null") : type;
  return known ?? (properties === undefined ? undefined : "object");
}

/** Base64 within JSON is a text. */
function isFile({ format, contentMediaType, contentEncoding }: JsonSchema): boolean {
  return format === "binary" || (contentMediaType !== undefined && contentEncoding === undefined);
}
