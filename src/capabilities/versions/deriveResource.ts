import { defineResource } from "../../engine/resource/define/define.js";
import type { Relation } from "../../engine/resource/relations/relation.js";
import type { Resource, ValidateWhole } from "../../engine/resource/resource.js";
import type { VersionChange } from "../../engine/resource/versionChange.js";
import { ConfigurationError, type ProblemItem } from "../../ground/problem/index.js";
import type { Row } from "../../ground/storage/collection.js";
import { Views } from "../../language/fields/view.js";
import type { QueryTable } from "../../language/query/table.js";
import { farOptions, sameName } from "./farOptions.js";
import { bodyValues, isFixed, placedIn, type Step, type StepChange, sourceOf, validFields } from "./step.js";

/** A resource that is to be derived for a version. */
export interface Derivation {
  /** The resource in the neighbouring version that is nearer to the schema. */
  readonly near: Resource;
  readonly version: string;
  readonly changes: readonly VersionChange[];
  /** The changes of each collection between the two versions. */
  readonly changesOf: (collection: string) => readonly VersionChange[];
}

/**
 * The resource of a version: the one of its neighbour with other members, over the same stored rows.
 *
 * @throws {ConfigurationError} for a change that names an unknown field, or one that must be the same in every version
 */
export function deriveResource({ near, version, changes, changesOf }: Derivation): Step {
  const where = `${near.name}: the version "${version}"`;
  const relations = new Map([...near.relations].map(([name, relation]) => [name, inVersion(relation, changesOf(relation.collection))]));
  const views = (fields: Resource["fields"], compact: readonly string[] | undefined) => new Views(fields.values(), compact, version);
  if (changes.length === 0) return { near, far: { ...near, relations, views: views(near.fields, near.options.compact) }, changes: [] };
  checkChanges(where, near, changes);
  const made: StepChange[] = [];
  const step = { near, changes: made } as Omit<Step, "far"> & { far?: Resource };
  const options = farOptions(near, changes, () => step as Step);
  const defined = defineResource(near.name, options);
  for (const change of changes) made.push(stepChange(near, defined, change));
  requireAllEquals(where, defined.queryTable, changes);
  step.far = {
    ...defined,
    relations,
    model: near.model,
    views: views(defined.fields, options.compact),
    queryTable: { ...defined.queryTable, searchable: near.queryTable.searchable },
    validateWhole: wholeOf(() => step as Step),
  };
  return step as Step;
}

function stepChange(near: Resource, far: Resource, change: VersionChange): StepChange {
  const fields = (of: Resource, names: readonly string[]) => names.flatMap((name) => of.fields.get(name) ?? []);
  const replaced = fields(near, change.replaces);
  return { change, near: replaced, far: fields(far, Object.keys(change.members.shape)), isFixed: isFixed(replaced) };
}

function checkChanges(where: string, near: Resource, changes: readonly VersionChange[]): void {
  const replaced = new Set<string>();
  const keys = new Set([near.id.name, ...[...near.relations.values()].flatMap(({ kind, foreignKey }) => (kind === "belongsTo" ? foreignKey : []))]);
  for (const name of changes.flatMap(({ replaces }) => replaces)) {
    if (!near.fields.has(name)) throw new ConfigurationError(`${where} replaces "${name}"; there are: ${[...near.fields.keys()].join(", ")}.`);
    if (keys.has(name)) throw new ConfigurationError(`${where} replaces "${name}"; ids and foreign keys must be the same in every version.`);
    if (replaced.has(name)) throw new ConfigurationError(`${where} replaces "${name}" twice.`);
    replaced.add(name);
  }
  const added = new Set<string>();
  for (const name of changes.flatMap(({ members }) => Object.keys(members.shape))) {
    if (added.has(name) || (near.fields.has(name) && !replaced.has(name)) || near.relations.has(name)) {
      throw new ConfigurationError(`${where} adds "${name}", which exists already.`);
    }
    added.add(name);
  }
}

/** A filter that the query table lets pass must have a meaning. */
function requireAllEquals(where: string, { fields }: QueryTable, changes: readonly VersionChange[]): void {
  for (const { equals = {} } of changes) {
    const roots = new Set(Object.keys(equals).map((path) => path.split(".", 1)[0]));
    const open = [...fields.values()].filter(({ path, operators }) => roots.has(path[0]) && operators.length > 0).map(({ key }) => key);
    const missing = open.find((key) => !Object.hasOwn(equals, key));
    const unknown = Object.keys(equals).find((key) => !open.includes(key));
    if (missing !== undefined) throw new ConfigurationError(`${where}: "equals" must have "${missing}" too: queries can name it beside the others.`);
    if (unknown !== undefined) throw new ConfigurationError(`${where}: "equals" names "${unknown}"; it can name: ${open.join(", ")}.`);
  }
}

function inVersion(relation: Relation, changes: readonly VersionChange[]): Relation {
  if (relation.kind !== "belongsTo" || relation.filter === undefined) return relation;
  const filterable = relation.filter.flatMap((name) => {
    const same = sameName(changes, name);
    if (same !== undefined) return [same];
    const { equals = {} } = changes.find(({ replaces }) => replaces.includes(name)) ?? {};
    return [...new Set(Object.keys(equals).map((path) => path.split(".", 1)[0] ?? path))];
  });
  return { ...relation, filter: filterable };
}

/** Validates a whole row: the fields that members become, then the refinements of the neighbour. */
function wholeOf(stepOf: () => Step): ValidateWhole {
  return async (whole, path, given) => {
    const step = stepOf();
    const row = whole as Row;
    const before = sourceOf(given);
    const fields: Record<string, unknown> = {};
    const items: ProblemItem[] = [];
    for (const each of step.changes) {
      const valid = await validFields(each, row, before);
      items.push(...valid.items);
      Object.assign(fields, bodyInputs(each, valid.values));
    }
    const { validateWhole } = step.near;
    if (items.length > 0) return { ok: false, items };
    if (validateWhole === undefined) return { ok: true, value: whole };
    const others = Object.fromEntries(
      Object.entries(row).filter(([name]) => !step.changes.some(({ far }) => far.some((field) => field.name === name))),
    );
    const validation = await validateWhole({ ...others, ...fields }, path, before ?? {});
    return validation.ok ? { ok: true, value: whole } : { ok: false, items: validation.items.map((item) => placedIn(step, item)) };
  };
}

/** Row values as inputs of their zod types. */
function bodyInputs({ near }: StepChange, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const inputs: Record<string, unknown> = bodyValues(near, values);
  for (const { name, toInput } of near) if (toInput !== undefined && Object.hasOwn(inputs, name)) inputs[name] = toInput(inputs[name]);
  return inputs;
}
