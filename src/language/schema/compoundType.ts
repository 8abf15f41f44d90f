import { intersection, type z } from "zod";
import { once } from "../../ground/http/once.js";
import type { FieldModel } from "./field.js";
import { whole } from "./walk.js";

/** What zod says of a type. */
export type Definition = z.core.$ZodTypeDef & Readonly<Record<string, unknown>>;

/** What a type says of its field. */
export type Described = Pick<FieldModel, "kind"> & Partial<FieldModel>;

/** The model of a type inside of another one. */
type Inside = (schema: unknown, name?: string) => FieldModel;

/** The model of a type whose values are made of others; `undefined` for all other types. */
export function describeCompound(definition: Definition, inside: Inside): Described | undefined {
  switch (definition.type) {
    case "array":
      return { kind: "array", element: inside(definition["element"]) };
    case "tuple": {
      const rest = definition["rest"] ?? undefined;
      return { kind: "tuple", items: (definition["items"] as readonly unknown[]).map((item) => inside(item)), ...(rest && { rest: inside(rest) }) };
    }
    case "object":
      return describeObject(definition, inside);
    case "record":
      return describeRecord(definition, inside);
    case "union":
      return describeUnion(definition["options"] as readonly z.core.$ZodType[], inside);
    case "intersection":
      return bothOf(inside(definition["left"]), inside(definition["right"]));
    default:
      return undefined;
  }
}

function describeObject(definition: Definition, inside: Inside): Described {
  const shape = definition["shape"] as Readonly<Record<string, z.core.$ZodType>>;
  const children = new Map(Object.entries(shape).map(([name, member]) => [name, inside(member, name)]));
  const catchall = definition["catchall"] as z.core.$ZodType | undefined;
  const isOpen = catchall !== undefined && catchall._zod.def.type !== "never";
  return { kind: "object", children, open: isOpen, ...(isOpen && { rest: inside(catchall) }) };
}

/** A record whose keys are listed is an object with these members. */
function describeRecord(definition: Definition, inside: Inside): Described {
  const key = definition["keyType"] as z.core.$ZodType;
  const element = inside(definition["valueType"]);
  // `z.partialRecord()` takes the values from the type of its keys, so that none is required.
  const required = key._zod.values;
  const { type, entries } = key._zod.def as unknown as Definition;
  const names = required ?? (type === "enum" ? enumValues(entries as Record<string, string | number>) : undefined);
  if (names === undefined) return { kind: "record", element, open: true };
  const members = [...names].map((name): FieldModel => ({ ...element, name: String(name), optional: required === undefined || element.optional }));
  return { kind: "object", children: new Map(members.map((member) => [member.name, member])) };
}

/** A numeric TypeScript enum also maps its values back to names; those entries are not values. */
export function enumValues(entries: Record<string, string | number>): (string | number)[] {
  const reversed = new Set(
    Object.values(entries)
      .filter((value) => typeof value === "number")
      .map(String),
  );
  return Object.entries(entries)
    .filter(([name]) => !reversed.has(name))
    .map(([, value]) => value);
}

/** Null and undefined are not alternatives: a union of one type and null is that type, and may be null. */
function describeUnion(options: readonly z.core.$ZodType[], inside: Inside): Described {
  const typeOf = ({ _zod }: z.core.$ZodType) => _zod.def.type;
  const members = options.filter((option) => !/^(null|undefined|void)$/.test(typeOf(option))).map((option) => inside(option));
  const nullable = options.some((option) => typeOf(option) === "null") || members.some((member) => member.nullable);
  const optional = options.some((option) => /^(undefined|void)$/.test(typeOf(option)));
  const [only, ...others] = members;
  if (only === undefined) return { kind: "unknown", open: true, nullable };
  if (others.length === 0) return { ...only, nullable, optional: optional || only.optional };
  return { kind: "union", members, open: true, nullable, optional };
}

/** Both sides of an intersection: objects have the members of both. */
function bothOf(left: FieldModel, right: FieldModel): Described {
  const nullable = left.nullable && right.nullable;
  if (left.below !== undefined || right.below !== undefined)
    return { kind: "unknown", open: true, nullable, below: once(() => bothTypes(whole(left), whole(right))) };
  if (left.kind === "union") return { ...left, nullable, members: (left.members ?? []).map((member) => bothTypes(member, right)) };
  if (right.kind === "union") return { ...right, nullable, members: (right.members ?? []).map((member) => bothTypes(left, member)) };
  const [open, other] = left.kind === "unknown" || (left.kind === "record" && right.kind === "object") ? [left, right] : [right, left];
  if (open.kind === "unknown" || open.kind === "record") return beside(open, other, nullable);
  if (left.children === undefined || right.children === undefined) return { ...left, nullable };
  const children = new Map(left.children);
  for (const [name, child] of right.children) {
    const other = children.get(name);
    children.set(name, other === undefined ? child : { ...bothTypes(other, child), name });
  }
  return { ...left, nullable, children, open: left.open || right.open, rest: left.rest ?? right.rest };
}

/** A type beside a record or anything else: an object may have the members that these let through. */
function beside({ element }: FieldModel, side: FieldModel, nullable: boolean): Described {
  return side.kind === "object" ? { ...side, nullable, open: true, rest: side.rest ?? element } : { ...side, nullable };
}

function bothTypes(left: FieldModel, right: FieldModel): FieldModel {
  const { optional, hasDefault } = left;
  const schema = intersection(left.schema as z.ZodType, right.schema as z.ZodType);
  return { ...left, ...bothOf(left, right), optional: optional && right.optional, hasDefault: hasDefault && right.hasDefault, schema };
}
