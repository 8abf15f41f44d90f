import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { FieldModel } from "../../../language/schema/field.js";
import type { JsonSchema } from "../../operation/description.js";
import type { Components } from "../components.js";
import { beyondBounds, bigintPattern } from "./bigintSchema.js";
import { instantPattern } from "./instantPattern.js";
import { kindSchema } from "./kindSchema.js";
import { orNull } from "./object.js";
import { adaptText, type Definition, type Draft } from "./textSchema.js";

/** Whether a schema describes what clients send or what they get. */
export type Side = "input" | "output";

/**
 * The JSON Schema of a field on the wire.
 *
 * @param name of the component that holds the schema if it refers to itself
 */
export function fieldSchema(field: FieldModel, side: Side, components: Components, name: string): JsonSchema {
  // What a transform makes is not known to zod; the column has the type of what the client sends.
  if (side === "output" && field.transforms) return kindSchema(field);
  return typeSchema(field.schema, side, components, name);
}

/** The JSON Schema of any zod type on the wire. */
export function typeSchema(type: z.core.$ZodType, side: Side, components: Components, name: string): JsonSchema {
  const schema = zodSchema(type, side);
  const text = JSON.stringify(schema);
  if (!text.includes('"$ref"')) return schema;
  // Bodies have another form of named types than answers, and other names for them, as soon as one of a field's differs.
  const suffix = isDeepStrictEqual(schema["$defs"], zodSchema(type, "output")["$defs"]) ? "" : "Input";
  return withoutDefinitions(schema, text, components, name, suffix);
}

/** What zod says of a type, which is asked for several schemas of a document, and again for other callers. */
const known: Readonly<Record<Side, WeakMap<z.core.$ZodType, Draft>>> = { input: new WeakMap(), output: new WeakMap() };

function zodSchema(type: z.core.$ZodType, side: Side): Draft {
  let schema = known[side].get(type);
  if (schema === undefined) {
    schema = convert(type, side);
    known[side].set(type, schema);
  }
  return schema;
}

function convert(type: z.core.$ZodType, side: Side): Draft {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    io: side,
    unrepresentable: "any",
    override: ({ zodSchema: part, jsonSchema }) => adapt(part, jsonSchema as Draft, side),
  }) as Draft;
  return schema;
}

/** Changes what zod writes of a type to what the wire has. */
function adapt(type: z.core.$ZodType, draft: Draft, side: Side): void {
  const definition = type._zod.def as unknown as Definition;
  switch (definition.type) {
    case "date":
      Object.assign(draft, { type: "string", format: "date-time", ...(side === "input" && { pattern: instantPattern() }) });
      break;
    case "bigint":
      Object.assign(draft, { type: "string", pattern: bigintPattern, ...(side === "input" && { not: beyondBounds(definition.checks, definition) }) });
      break;
    case "literal": {
      const values = definition["values"] as readonly unknown[];
      if (!values.some((value) => typeof value === "bigint")) break;
      for (const name of ["const", "type"]) delete draft[name];
      draft["enum"] = values.map((value) => (typeof value === "bigint" ? String(value) : value));
      break;
    }
    case "string":
      adaptText(definition, draft, side);
      break;
    case "number":
      adaptNumber(draft, side);
      break;
    case "record":
      adaptRecord(draft, side);
      break;
    case "pipe":
      if (side === "input") adaptPipe(definition, draft);
      break;
    case "object":
      adaptObject(definition, draft, side);
      break;
    case "nullable":
      adaptNullable(draft);
      break;
    case "readonly":
      // It says that code does not change the value; clients set it.
      delete draft["readOnly"];
      break;
    case "union":
      if (isAnyJson(type, definition)) for (const name of Object.keys(draft)) delete draft[name];
      break;
    case "default":
    case "prefault":
      if (side === "output" || !isConstant(definition)) delete draft["default"];
      break;
    default:
  }
}

/** The union of `z.json()`, which refers to itself: a schema that allows anything says the same. */
function isAnyJson(type: z.core.$ZodType, { options }: Definition): boolean {
  const types = (options as readonly z.core.$ZodType[]).map(({ _zod }) => _zod.def as unknown as Definition);
  const values = types.at(-1)?.["valueType"] as z.core.$ZodLazy | undefined;
  return types.map((each) => each.type).join() === "string,number,boolean,null,array,record" && values?._zod.innerType === type;
}

/** Beside the choice a draft may have a description. */
function adaptNullable(draft: Draft): void {
  const { anyOf, ...rest } = draft;
  const [type, last] = anyOf as readonly Draft[];
  if (type === undefined || last?.["type"] !== "null") return;
  const { anyOf: parts, ...folded } = orNull(type);
  if (parts !== undefined) return;
  delete draft["anyOf"];
  Object.assign(draft, folded, rest);
}

function adaptNumber(draft: Draft, side: Side): void {
  if (side === "output" && draft["minimum"] === Number.MIN_SAFE_INTEGER) delete draft["minimum"];
  if (side === "output" && draft["maximum"] === Number.MAX_SAFE_INTEGER) delete draft["maximum"];
  const step = draft["multipleOf"];
  if (typeof step !== "number") return;
  // Validators divide binary fractions: 19.99 would be no multiple of 0.01. And zod takes a large number near a multiple for one, so that a row may have it.
  if (side === "output" || !Number.isInteger(step)) delete draft["multipleOf"];
  if (!Number.isInteger(step)) draft["description"] ??= `A multiple of ${step}.`;
}

/** A record of named members is an object with these: generators of types understand it, and not `propertyNames`. */
function adaptRecord(draft: Draft, side: Side): void {
  const names = (draft["propertyNames"] as Draft | undefined)?.["enum"];
  const value = draft["additionalProperties"];
  if (!Array.isArray(names) || typeof value !== "object") return;
  delete draft["propertyNames"];
  draft["properties"] = Object.fromEntries(names.map((name) => [String(name), value]));
  if (side === "input") draft["additionalProperties"] = false;
  else delete draft["additionalProperties"];
}

/** In a pipe without a transform the sent value passes both types. */
function adaptPipe(definition: Definition, draft: Draft): void {
  const [from, to] = (["in", "out"] as const).map((end) => (definition[end] as z.core.$ZodType)._zod.def as unknown as Definition);
  if (from === undefined || to?.type !== from.type || !(from.type === "string" || from.type === "number")) return;
  const isChanged = from["coerce"] === true || from.checks?.some((check) => check._zod.def.check === "overwrite") === true;
  if (isChanged || definition["transform"] !== undefined) return;
  const { type: _, ...next } = zodSchema(definition["out"] as z.core.$ZodType, "input");
  const isApart = Object.keys(next).every((name) => !(name in draft));
  if (isApart) Object.assign(draft, next);
  else draft["allOf"] = [...((draft["allOf"] as readonly unknown[] | undefined) ?? []), next];
}

/** Requests with unknown members are refused; answers may get more members later. */
function adaptObject(definition: Definition, draft: Draft, side: Side): void {
  const catchall = definition["catchall"] as z.core.$ZodType | undefined;
  const isOpen = catchall !== undefined && catchall._zod.def.type !== "never";
  if (isOpen) return;
  if (side === "input") draft["additionalProperties"] = false;
  else delete draft["additionalProperties"];
}

/** A default such as the present time differs each time it is read, and a document must not. */
function isConstant(definition: Definition): boolean {
  const [first, second] = [definition["defaultValue"], definition["defaultValue"]];
  return !(first instanceof Date) && isDeepStrictEqual(first, second);
}

/** Recursive types refer to the root of their schema, and named ones to its `$defs`: both become components. */
function withoutDefinitions({ $defs = {}, ...root }: Draft, text: string, components: Components, name: string, suffix: string): JsonSchema {
  const nameOf = (definition: string) => (definition.startsWith("__schema") ? `${name}${definition.slice("__schema".length)}` : definition + suffix);
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move);
    if (typeof value !== "object" || value === null) return value;
    // A property may be called "$ref" as well.
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, key === "$ref" && typeof member === "string" ? target(member) : move(member)]),
    );
  };
  const target = (ref: string) => `#/components/schemas/${ref === "#" ? name : nameOf(ref.slice(ref.lastIndexOf("/") + 1))}`;
  for (const [definition, { id, ...value }] of Object.entries($defs as Readonly<Record<string, Draft>>)) {
    components.named(nameOf(definition), move(value));
  }
  return text.includes('"$ref":"#"') ? { ...components.named(name, move(root)) } : (move(root) as JsonSchema);
}
