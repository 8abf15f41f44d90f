import { z } from "zod";
import type { CreateCall, ResourceOptions } from "../../engine/resource/options.js";
import type { Resource } from "../../engine/resource/resource.js";
import type { VersionChange } from "../../engine/resource/versionChange.js";
import type { Row } from "../../ground/storage/collection.js";
import { type Operator, operators, takes } from "../../language/query/conditions/operator.js";
import { isNames } from "../../language/query/grammar/expand.js";
import type { QueryTableOptions } from "../../language/query/table.js";
import type { FieldAccess, FieldRule } from "../../language/schema/access.js";
import { isFixed, nearRow, readRow, type Step } from "./step.js";

type OperatorRule = true | readonly Operator[];

/** Options of a resource with plain names of fields: `defineResource` has checked them. */
interface PlainOptions
  extends Omit<
    ResourceOptions<z.ZodObject>,
    | "compact"
    | "heavy"
    | "access"
    | "readOnly"
    | "stamp"
    | "scope"
    | "generated"
    | "filter"
    | "sort"
    | "ranges"
    | "param"
    | "import"
    | "relations"
    | "unique"
    | "search"
    | "index"
    | "events"
    | "create"
  > {
  readonly compact?: readonly string[] | undefined;
  readonly heavy?: readonly string[] | undefined;
  readonly access?: Readonly<Record<string, FieldAccess>> | undefined;
  readonly readOnly?: readonly string[] | undefined;
  readonly stamp?: Readonly<Record<string, unknown>> | undefined;
  readonly scope?: unknown;
  readonly generated?: Readonly<Record<string, string>> | undefined;
  readonly filter?: QueryTableOptions["filter"];
  readonly sort?: readonly string[] | undefined;
  readonly ranges?: QueryTableOptions["ranges"];
  readonly param?: Readonly<Record<string, string>> | undefined;
  readonly import?: { readonly generated?: readonly string[] | undefined } | false | undefined;
  readonly create?: CreateEffectOption | undefined;
  readonly relations?: undefined;
  readonly unique?: undefined;
  readonly search?: undefined;
  readonly index?: undefined;
  readonly events?: undefined;
}

type CreateEffectOption = (row: Readonly<Record<string, unknown>>, call: CreateCall) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** What the rows of the schema have already, below those of a version. */
const ofSchemaOnly = { relations: undefined, unique: undefined, search: undefined, index: undefined, events: undefined, versions: undefined };

/** The options of the resource in this version: names of replaced fields become those of the members. */
export function farOptions(
  { options: given, fields, schema }: Resource,
  changes: readonly VersionChange[],
  step: () => Step,
): ResourceOptions<z.ZodObject> {
  const options = given as unknown as PlainOptions;
  const renamed = (names: readonly string[]) => [...new Set(names.flatMap((name) => namesFor(changes, name)))];
  const kept = <T>(rules: Readonly<Record<string, T>> = {}) =>
    Object.fromEntries(Object.entries(rules).filter(([name]) => !isReplaced(changes, name)));
  const left = (names: readonly string[] = []) => names.filter((name) => !isReplaced(changes, name));
  const same = (names: readonly string[]) => names.flatMap((name) => sameName(changes, name) ?? []);
  const { create, compact, heavy, access, readOnly, stamp, scope: _scope, generated, sort, ranges, param, import: imported, ...others } = options;
  const made: PlainOptions = {
    ...others,
    schema: farSchema(schema, fields, changes),
    compact: compact && renamed(compact),
    heavy: heavy && renamed(heavy),
    access: { ...kept(access), ...memberAccess(fields, changes) },
    // The rows of the schema, below those of the version, are stamped and have the scope. Here it says which fields the server makes.
    stamp: stamp && kept(stamp),
    readOnly: [...new Set([...left(readOnly), ...fixedMembers(fields, changes)])],
    generated: kept(generated),
    filter: farFilter(options, fields, changes),
    sort: same(sort ?? [...fields.keys()]),
    ranges: farRanges(ranges, changes),
    param: kept(param),
    import: imported && { generated: left(imported.generated) },
    create: create && farCreate(create, step),
    ...ofSchemaOnly,
  };
  return made as unknown as ResourceOptions<z.ZodObject>;
}

function isReplaced(changes: readonly VersionChange[], name: string): boolean {
  return changes.some(({ replaces }) => replaces.includes(name));
}

/** The members that stand for a field. */
function namesFor(changes: readonly VersionChange[], name: string): readonly string[] {
  const change = changes.find(({ replaces }) => replaces.includes(name));
  return change === undefined ? [name] : Object.keys(change.members.shape);
}

/** The name of the member with the values of a field; `undefined` if there is none. */
export function sameName(changes: readonly VersionChange[], name: string): string | undefined {
  const change = changes.find(({ replaces }) => replaces.includes(name));
  return change === undefined ? name : Object.entries(change.same ?? {}).find(([, from]) => from === name)?.[0];
}

/** The members that clients cannot set. */
function fixedMembers(fields: Resource["fields"], changes: readonly VersionChange[]): readonly string[] {
  return changes.flatMap(({ replaces, members }) => {
    const all = replaces.flatMap((name) => fields.get(name) ?? []);
    return isFixed(all) ? Object.keys(members.shape) : [];
  });
}

function farRanges(ranges: PlainOptions["ranges"], changes: readonly VersionChange[]): PlainOptions["ranges"] {
  if (typeof ranges !== "object") return ranges;
  return Object.fromEntries(Object.entries(ranges).flatMap(([name, path]) => rangeOf(changes, name, path)));
}

function rangeOf(changes: readonly VersionChange[], name: string, path: string): [string, string][] {
  const [root = "", ...rest] = path.split(".");
  const same = sameName(changes, root);
  return same === undefined ? [] : [[name, [same, ...rest].join(".")]];
}

/** The schema with the members in the place of the first field that each change replaces. */
function farSchema(schema: z.ZodObject, fields: Resource["fields"], changes: readonly VersionChange[]): z.ZodObject {
  const shape: Record<string, z.core.$ZodType> = {};
  const placed = new Set<VersionChange>();
  const place = (change: VersionChange) => {
    if (!placed.has(change)) Object.assign(shape, memberTypes(change, fields));
    placed.add(change);
  };
  for (const [name, type] of Object.entries(schema.shape)) {
    const change = changes.find(({ replaces }) => replaces.includes(name));
    if (change === undefined) shape[name] = type;
    else place(change);
  }
  for (const change of changes) place(change);
  return schema.clone({ ...schema._zod.def, shape, checks: [] });
}

/** A client need not send what only the server sets. */
function memberTypes({ replaces, members }: VersionChange, fields: Resource["fields"]): Readonly<Record<string, z.core.$ZodType>> {
  if (!isFixed(replaces.flatMap((name) => fields.get(name) ?? []))) return members.shape;
  return Object.fromEntries(Object.entries(members.shape).map(([name, type]) => [name, z.optional(type)]));
}

const equality = operators.filter((operator) => takes(operator, "value", "alternatives"));

/** Queries can name members with the values of a field, and those for which the change has filters. */
function farFilter({ filter }: PlainOptions, fields: Resource["fields"], changes: readonly VersionChange[]): Record<string, OperatorRule> {
  const rule = (name: string): OperatorRule => {
    if (filter === undefined) return true;
    return isNames(filter) ? filter.includes(name) || [] : (filter[name] ?? []);
  };
  const rules = [...fields.keys()].flatMap((name) => {
    const same = sameName(changes, name);
    return same === undefined ? [] : [[same, rule(name)] as const];
  });
  const roots = changes.flatMap(({ equals = {} }) => Object.keys(equals).map((path) => [path.split(".", 1)[0] ?? path, equality] as const));
  return Object.fromEntries([...rules, ...roots]);
}

/** A member may be used like all fields that it is made from. */
function memberAccess(fields: Resource["fields"], changes: readonly VersionChange[]): Record<string, FieldAccess> {
  const rules: Record<string, FieldAccess> = {};
  for (const { replaces, members } of changes) {
    const given = replaces.flatMap((name) => fields.get(name)?.access ?? []);
    const [first] = given;
    if (first === undefined) continue;
    const all = given.length === 1 ? first : allOf(given);
    for (const name of Object.keys(members.shape)) rules[name] = all;
  }
  return rules;
}

function allOf(given: readonly FieldAccess[]): FieldAccess {
  const onForbidden = (["hide", "omit"] as const).find((each) => given.some((access) => (access.onForbidden ?? "omit") === each)) ?? "403";
  return {
    read: both(given.map(({ read }) => read)),
    write: both(given.map(({ write }) => write)),
    filter: both(given.map(({ filter, read }) => filter ?? read)),
    sort: both(given.map(({ sort, read }) => sort ?? read)),
    onForbidden,
  };
}

function both(rules: readonly (FieldRule | undefined)[]): FieldRule {
  if (rules.includes(false)) return false;
  const functions = rules.filter((rule) => typeof rule === "function");
  return functions.length === 0 ? true : (principal) => functions.every((rule) => rule(principal));
}

/** The developer's effect sees and sets fields of the schema, whatever version the client uses. */
function farCreate(create: CreateEffectOption, stepOf: () => Step): CreateEffectOption {
  return async (row, call) => {
    const step = stepOf();
    const before = nearRow(step, row as Row);
    const set = await create(before, call);
    if (set === undefined) return undefined;
    const after = readRow(step, { ...before, ...set } as Row);
    const touched = step.changes.filter(({ near }) => near.some(({ name }) => Object.hasOwn(set, name)));
    const others = Object.fromEntries(
      Object.entries(set).filter(([name]) => !step.changes.some(({ near }) => near.some((field) => field.name === name))),
    );
    return { ...others, ...Object.fromEntries(touched.flatMap(({ far }) => far.map(({ name }) => [name, after[name] ?? undefined]))) };
  };
}
