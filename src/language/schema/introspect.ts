import type { z } from "zod";
import { ConfigurationError } from "../../ground/problem/index.js";
import { type Definition, type Described, describeCompound, enumValues } from "./compoundType.js";
import { dateTimeForm } from "./dateTimeForm.js";
import type { FieldKind, FieldModel } from "./field.js";
import { scalarOf } from "./scalarType.js";
import { requireSmallLetters } from "./uuid.js";

interface Wrapping {
  nullable: boolean;
  optional: boolean;
  hasDefault: boolean;
  transforms: boolean;
  made?: FieldModel["made"];
}

/** Types whose values JSON does not have, so that no request could send one. */
const outsideJson = /^(map|set|file|symbol|function|nan)$/;

/** Depth at which the model of a recursive schema (`z.lazy`) ends: filters and patches go no deeper than this. */
const maxDepth = 6;

/**
 * The field model of a zod type.
 *
 * Reads `_zod.def`, the only place where zod 4 has both formats and wrappers. Wrappers (optional, nullable, default, prefault, catch, readonly,
 * nonoptional, lazy, pipe) are unwrapped, and a pipe counts as its input type.
 *
 * @throws {ConfigurationError} for a type that no field can have, anywhere in the schema
 */
export function introspect(name: string, schema: z.core.$ZodType): FieldModel {
  const ends: z.core.$ZodType[] = [];
  const model = modelOf(name, schema, { depth: 0, root: name, ends });
  checkBelow(ends, name);
  return model;
}

/** The most types below the end of a model: a getter may make other ones each time. */
const maxTypes = 10_000;

/** Makes the model of each type below the end of a model once, so that a type that no field can have is an error of the definition and not of a request. */
function checkBelow(ends: z.core.$ZodType[], root: string): void {
  const checked = new Set<z.core.$ZodType>();
  for (let schema = ends.pop(); schema !== undefined; schema = ends.pop()) {
    if (checked.has(schema)) continue;
    checked.add(schema);
    if (checked.size > maxTypes) throw new ConfigurationError(withoutEnd(root));
    modelOf("", schema, { depth: maxDepth, root, ends });
  }
}

function withoutEnd(root: string): string {
  return `"${root}" has more than ${maxTypes.toLocaleString("en")} types: a getter or z.lazy() that makes a new type each time has no end. Make the type once, and return it there.`;
}

/** The members of an object schema, by name. */
export function introspectObject(schema: z.core.$ZodType): Map<string, FieldModel> {
  const shape = definitionOf(schema)["shape"] as Readonly<Record<string, z.core.$ZodType>>;
  return new Map(Object.entries(shape).map(([name, member]) => [name, introspect(name, member)]));
}

/** Where in a schema a type stands. */
interface Position {
  readonly depth: number;
  /** The field of which it is a part, for messages. */
  readonly root: string;
  /** Where types are noted at which a model ends. */
  readonly ends: z.core.$ZodType[];
}

function modelOf(name: string, schema: z.core.$ZodType, position: Position): FieldModel {
  const wrapping: Wrapping = { nullable: false, optional: false, hasDefault: false, transforms: false };
  const core = unwrap(schema, wrapping, position);
  const definition = definitionOf(core);
  if (outsideJson.test(definition.type)) {
    throw new ConfigurationError(`"${position.root}" cannot be of type "${definition.type}", which JSON does not have.`);
  }
  const described: Described = position.depth > maxDepth ? deeper(core, position) : describe(definition, position);
  // Null may be a value of the type itself, and a union may have alternatives that are missing or have defaults.
  const nullable = wrapping.nullable || described.nullable === true;
  const optional = wrapping.optional || described.optional === true;
  const hasDefault = wrapping.hasDefault || described.hasDefault === true;
  const { transforms = false, made } = described;
  return {
    ...{ open: false, readsDate: definition.type === "date", ...wrapping, ...described },
    ...{ name, schema, nullable, optional, hasDefault, transforms: wrapping.transforms || transforms, made: wrapping.made ?? made },
  };
}

/** What stands below the end of a model, by its type: a recursive schema comes back to the same types. */
const lower = new WeakMap<z.core.$ZodType, FieldModel>();

function deeper(schema: z.core.$ZodType, { root, ends }: Position): Described {
  ends.push(schema);
  const below = () => {
    const known = lower.get(schema) ?? modelOf("", schema, { depth: 0, root, ends: [] });
    lower.set(schema, known);
    return known;
  };
  return { kind: "unknown", open: true, below };
}

function definitionOf(schema: z.core.$ZodType): Definition {
  return schema._zod.def as Definition;
}

function unwrap(schema: z.core.$ZodType, wrapping: Wrapping, position: Position): z.core.$ZodType {
  const definition = definitionOf(schema);
  switch (definition.type) {
    case "optional":
      wrapping.optional = true;
      break;
    case "nullable":
      wrapping.nullable = true;
      break;
    case "default":
    case "prefault":
    case "catch":
      wrapping.hasDefault = true;
      break;
    case "nonoptional":
    case "readonly":
    case "success":
      break;
    case "lazy":
      // Not the getter of its definition, which makes other types each time.
      return unwrap((schema as z.core.$ZodLazy)._zod.innerType, wrapping, position);
    case "pipe":
      wrapping.transforms = true;
      // The outermost pipe makes the value of the field.
      wrapping.made ??= modelOf("", definition["out"] as z.core.$ZodType, position);
      return unwrap(wireSide(definition), wrapping, position);
    default:
      return schema;
  }
  const core = unwrap(definition["innerType"] as z.core.$ZodType, wrapping, position);
  if (definition.type === "nonoptional") wrapping.optional = false;
  return core;
}

/** `preprocess` is a pipe whose input is a transform, so its output type counts. */
function wireSide(definition: Definition): z.core.$ZodType {
  const input = definition["in"] as z.core.$ZodType;
  return definitionOf(input).type === "transform" ? (definition["out"] as z.core.$ZodType) : input;
}

function describe(definition: Definition, position: Position): Described {
  const inside = (schema: unknown, name = "") => modelOf(name, schema as z.core.$ZodType, { ...position, depth: position.depth + 1 });
  switch (definition.type) {
    case "string":
      return describeString(definition, position);
    case "template_literal":
      return { kind: "text" };
    case "number":
      return { kind: formatsOf(definition).some((format) => /int/.test(format)) ? "int" : "number" };
    case "bigint":
    case "boolean":
      return { kind: definition.type };
    case "date":
      return { kind: "datetime" };
    case "enum":
      return { kind: "enum", values: enumValues(definition["entries"] as Record<string, string | number>) };
    case "literal": {
      const literals = definition["values"] as readonly (string | number | bigint | boolean | null)[];
      const values = literals.filter((value) => value !== null);
      // Bigints are digits in JSON, so they are read, stored and shown as those of `z.bigint()`; zod compares the value.
      const kind = values.length > 0 && values.every((value) => typeof value === "bigint") ? "bigint" : "enum";
      return { kind, values, nullable: literals.includes(null) };
    }
    default:
      return describeCompound(definition, inside) ?? { kind: "unknown", open: true, nullable: /^(any|unknown|null)$/.test(definition.type) };
  }
}

function describeString(definition: Definition, { depth }: Position): Described {
  refuseLocalTime(definition);
  const formats = formatsOf(definition);
  const has = (format: string) => formats.includes(format);
  const scalar = scalarOf(definition);
  if (depth > 0) scalar?.link?.refuseNested();
  const kind: FieldKind = scalar ? scalar.kind : has("datetime") ? "datetime" : has("date") ? "date" : has("uuid") || has("guid") ? "uuid" : "text";
  const format = formats.find((name) => !refinements.has(name));
  if (kind === "uuid") requireSmallLetters(withChecks(definition));
  return {
    kind,
    scalar,
    format,
    maxLength: maxLengthOf(definition),
    formatPattern: format === undefined ? undefined : patternOf(definition, format),
    dateTime: kind === "datetime" ? dateTimeForm(withChecks(definition)) : undefined,
  };
}

function maxLengthOf(definition: Definition): number | undefined {
  const bounds = withChecks(definition).map(({ maximum, length }) => maximum ?? length);
  const lengths = bounds.filter((bound) => typeof bound === "number");
  return lengths.length === 0 ? undefined : Math.min(...lengths);
}

/** The definition of a type, then those of its checks. */
function withChecks(definition: Definition): readonly Definition[] {
  const checks = (definition["checks"] ?? []) as readonly z.core.$ZodCheck[];
  return [definition, ...checks.map((check) => check._zod.def as unknown as Definition)];
}

/** Checks that zod calls formats, although they describe the contents of a text and not its kind. */
const refinements = new Set(["regex", "lowercase", "uppercase", "starts_with", "ends_with", "includes"]);

function patternOf(definition: Definition, format: string): RegExp | undefined {
  const pattern = withChecks(definition).find((each) => each["format"] === format)?.["pattern"];
  // A global expression keeps state between calls.
  return pattern instanceof RegExp && !pattern.global && !pattern.sticky ? pattern : undefined;
}

/** `z.email()` carries its format itself, `z.string().email()` only among its checks: both are read. */
function formatsOf(definition: Definition): string[] {
  return withChecks(definition).flatMap(({ format }) => (typeof format === "string" ? [format] : []));
}

/** A date-time without an offset is a different instant in every time zone of the server. */
function refuseLocalTime(definition: Definition): void {
  if (withChecks(definition).some((each) => each["format"] === "datetime" && each["local"] === true)) {
    throw new ConfigurationError("A date-time with `local: true` has no offset and is not an instant; remove the option.");
  }
}
