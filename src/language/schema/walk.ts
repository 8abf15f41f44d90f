import { isObject } from "../../ground/http/isObject.js";
import { once } from "../../ground/http/once.js";
import type { FieldModel } from "./field.js";

/** Converts one value. */
export type Convert = (value: unknown) => unknown;

/** What a walk does. */
export interface Walk {
  /** The conversion of a whole value; `undefined` to convert its parts, if its type has any. */
  convert(field: FieldModel): Convert | undefined;
  /** The alternative that a value of a union has; without it the values of unions stay as they are. */
  choose?(members: readonly FieldModel[]): (value: unknown) => FieldModel | undefined;
  /** Whether members that a closed object does not declare are left out. */
  readonly declaredOnly?: boolean | undefined;
  /** Whether each object and array is copied, also where nothing changes. */
  readonly copies?: boolean | undefined;
  /** What stands for a declared member that is missing; `undefined` for nothing. */
  missing?(child: FieldModel): (() => unknown) | undefined;
}

/**
 * Compiles a conversion of whole values from those of their parts. This is the one place that knows how the values of a type contain those of others: elements of arrays,
 * tuples and records, members of objects, those that an object lets through, the alternatives of a union, recursive types. Values of another form than their type stay as
 * they are.
 *
 * @returns `undefined` if nothing of the type is converted
 */
export function compileWalk(field: FieldModel, walk: Walk): Convert | undefined {
  const own = walk.convert(field);
  if (own !== undefined) return own;
  if (field.below !== undefined) return staysWhole(field, walk) ? undefined : belowIt(field.below, walk);
  if (field.members !== undefined) return ofUnion(field.members, walk);
  if (field.items !== undefined) return ofTuple(field.items, field.rest, walk);
  if (field.children !== undefined) return ofObject(field, field.children, walk);
  if (field.element === undefined) return undefined;
  const convert = compileWalk(field.element, walk);
  if (convert === undefined && walk.copies !== true) return undefined;
  return field.kind === "array" ? ofArray(convert ?? same, walk) : ofRecord(convert ?? same, walk);
}

/** Leaves a value as it is. */
export const same: Convert = (value) => value;

/** A copy of JSON that shares nothing with it. */
export function copyOf(value: unknown): unknown {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}

/** The most types that are looked at before a recursive one counts as converted: a getter may make other ones each time. */
const maxTypes = 1_000;

/** Whether nothing that values of a recursive type contain is converted, as of `z.json()`: its values would be tried as each alternative, part by part. */
function staysWhole(recursive: FieldModel, walk: Walk): boolean {
  // By its schema: the model of a recursive type has some hundred parts before it ends, and the same again below.
  const seen = new Set<unknown>();
  const open = [recursive];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const field = whole(next);
    if (seen.has(field.schema)) continue;
    if (seen.size === maxTypes || walk.copies || walk.convert(field) !== undefined) return false;
    seen.add(field.schema);
    const children = [...(field.children?.values() ?? [])];
    if (field.children !== undefined && walk.declaredOnly && !field.open) return false;
    if (children.some((child) => walk.missing?.(child) !== undefined)) return false;
    open.push(...partsOf(field));
  }
  return true;
}

/** A recursive type is compiled as far down as its values go. */
function belowIt(below: () => FieldModel, walk: Walk): Convert {
  const compiled = once(() => compileWalk(below(), walk) ?? same);
  return (value) => compiled()(value);
}

function ofUnion(members: readonly FieldModel[], walk: Walk): Convert | undefined {
  const converters = new Map(members.map((member) => [member, compileWalk(member, walk)]));
  const choose = walk.choose?.(members);
  if (choose === undefined || [...converters.values()].every((convert) => convert === undefined)) return undefined;
  return (value) => {
    const member = value === null || value === undefined ? undefined : choose(value);
    const convert = member && converters.get(member);
    if (convert !== undefined) return convert(value);
    return walk.copies ? copyOf(value) : value;
  };
}

function ofArray(convert: Convert, { copies }: Walk): Convert {
  return (value) => {
    if (!Array.isArray(value)) return value;
    const converted = value.map(convert);
    return copies || converted.some((element, index) => element !== value[index]) ? converted : value;
  };
}

function ofTuple(items: readonly FieldModel[], rest: FieldModel | undefined, walk: Walk): Convert | undefined {
  const converters = items.map((item) => compileWalk(item, walk));
  const others = rest && compileWalk(rest, walk);
  if (walk.copies !== true && others === undefined && converters.every((convert) => convert === undefined)) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    return value.map((element, index) => ((index < items.length ? converters[index] : others) ?? same)(element));
  };
}

function ofRecord(convert: Convert, { copies }: Walk): Convert {
  return (value) => {
    if (!isObject(value)) return value;
    const members = Object.entries(value).map(([name, member]) => [name, convert(member)] as const);
    // Not by assignment, so that `__proto__` stays an ordinary member.
    return copies || members.some(([name, member]) => member !== value[name]) ? Object.fromEntries(members) : value;
  };
}

/** What happens to a member of an object. */
type OfMember = Convert | "stays" | "goes";

function ofObject(field: FieldModel, children: ReadonlyMap<string, FieldModel>, walk: Walk): Convert | undefined {
  const members = new Map<string, OfMember>([...children].map(([name, child]) => [name, compileWalk(child, walk) ?? "stays"]));
  const rest = field.rest && compileWalk(field.rest, walk);
  const other: OfMember = rest ?? (walk.declaredOnly && !field.open ? "goes" : "stays");
  const missing = [...children.values()].flatMap((child) => {
    const make = walk.missing?.(child);
    return make === undefined ? [] : [{ name: child.name, make }];
  });
  if (!walk.copies && missing.length === 0 && other === "stays" && [...members.values()].every((each) => each === "stays")) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    const converted = convertMembers(value, (name) => members.get(name) ?? other, walk.copies === true);
    const lacks = missing.filter(({ name }) => !Object.hasOwn(value, name));
    return lacks.length === 0 ? converted : { ...converted, ...Object.fromEntries(lacks.map(({ name, make }) => [name, make()])) };
  };
}

function convertMembers(
  value: Readonly<Record<string, unknown>>,
  of: (name: string) => OfMember,
  copies: boolean,
): Readonly<Record<string, unknown>> {
  const changed = new Map<string, unknown>();
  let gone = 0;
  for (const name of Object.keys(value)) {
    const convert = of(name);
    if (convert === "goes") gone += 1;
    if (typeof convert === "string") continue;
    const converted = convert(value[name]);
    if (converted !== value[name]) changed.set(name, converted);
  }
  if (gone === 0 && changed.size === 0) return copies ? { ...value } : value;
  const members = Object.entries(value).filter(([name]) => gone === 0 || of(name) !== "goes");
  return Object.fromEntries(members.map(([name, member]) => [name, changed.has(name) ? changed.get(name) : member]));
}

/** The type of an element or a member of a field's values; `undefined` for a member that no type declares. */
export function partOf(field: FieldModel, step: string | number): FieldModel | undefined {
  const { items, children, rest, element } = whole(field);
  return (typeof step === "number" ? items?.[step] : children?.get(step)) ?? rest ?? element;
}

/** The model of a type, where that of a recursive one ends too. */
export function whole(field: FieldModel): FieldModel {
  return field.below === undefined ? field : whole(field.below());
}

/** The types of all that values of a type contain, and the alternatives of a union; what stands below the end of a recursive model is left out. */
export function partsOf({ element, items = [], rest, children, members = [] }: FieldModel): readonly FieldModel[] {
  return [...(element ? [element] : []), ...items, ...(rest ? [rest] : []), ...(children?.values() ?? []), ...members];
}

/** Whether values of the type have parts with types of their own. */
export function hasParts({ element, items, children, below }: FieldModel): boolean {
  return (element ?? items ?? children ?? below) !== undefined;
}

/** Whether an object of this type has no members but those that the type declares. */
export function isClosed(field: FieldModel): boolean {
  const { kind, open } = whole(field);
  return kind === "object" && !open;
}
