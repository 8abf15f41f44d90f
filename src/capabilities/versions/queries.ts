import type { Filter } from "../../ground/storage/filter.js";
import type { Query, SortKey } from "../../ground/storage/query.js";
import type { Path } from "../../ground/storage/values/scalar.js";
import type { Step, StepChange } from "./step.js";

/** A filter on members of this version, as one on fields of the neighbour. */
export function nearFilter(step: Step, filter: Filter): Filter {
  switch (filter.op) {
    case "and":
    case "or":
      return { op: filter.op, args: filter.args.map((each) => nearFilter(step, each)) };
    case "not":
      return { op: "not", arg: nearFilter(step, filter.arg) };
    case "search":
      return filter;
    case "related":
      throw new Error(`A version cannot filter by rows of "${filter.collection.name}": such a condition names fields of the schema.`);
    default: {
      const each = changeOf(step, filter.path);
      if (each === undefined) return filter;
      const path = samePath(each, filter.path);
      return path === undefined ? equalsFilter(each, filter) : { ...filter, path };
    }
  }
}

/** The query table lets no other conditions pass. */
function equalsFilter({ change: { equals = {} } }: StepChange, filter: Extract<Filter, { readonly path: Path }>): Filter {
  const equal = equals[filter.path.join(".")];
  const having = (value: unknown): Filter => (typeof value === "string" && equal !== undefined ? equal(value) : { op: "or", args: [] });
  if (filter.op === "eq") return having(filter.value);
  if (filter.op === "ne") return { op: "not", arg: having(filter.value) };
  if (filter.op === "in") return { op: "or", args: filter.values.map(having) };
  // Asked before whether a member is missing, which has its default then: what a version makes has all of its members.
  if (filter.op === "has") return { op: "and", args: [] };
  throw new Error(`A version cannot filter "${filter.path.join(".")}" by "${filter.op}".`);
}

/** A query for rows of this version, as one for rows of the neighbour. */
export function nearQuery<Q extends Partial<Query>>(step: Step, query: Q): Q {
  const { filter, sort, fields } = query;
  return {
    ...query,
    ...(filter === undefined ? {} : { filter: nearFilter(step, filter) }),
    ...(sort === undefined ? {} : { sort: sort.map((key): SortKey => ({ ...key, path: nearPath(step, key.path) })) }),
    ...(fields === undefined ? {} : { fields: nearFields(step, fields) }),
  };
}

function nearPath(step: Step, path: Path): Path {
  const each = changeOf(step, path);
  const same = each === undefined ? path : samePath(each, path);
  if (same === undefined) throw new Error(`A version cannot sort by "${path.join(".")}".`);
  return same;
}

function nearFields(step: Step, paths: readonly Path[]): readonly Path[] {
  const names = new Map<string, Path>();
  for (const path of paths) {
    const each = changeOf(step, path);
    if (each === undefined) names.set(path.join("."), path);
    else for (const { name } of each.near) names.set(name, [name]);
  }
  return [...names.values()];
}

/** The changes whose members a query reads. */
export function readChanges({ changes }: Step, fields: readonly Path[] | undefined): readonly StepChange[] {
  if (fields === undefined) return changes;
  return changes.filter(({ far }) => fields.some(([root]) => far.some(({ name }) => name === root)));
}

function changeOf({ changes }: Step, [root]: Path): StepChange | undefined {
  return changes.find(({ far }) => far.some(({ name }) => name === root));
}

function samePath({ change: { same = {} } }: StepChange, [root, ...rest]: Path): Path | undefined {
  const field = Object.hasOwn(same, root) ? same[root] : undefined;
  return field === undefined ? undefined : [field, ...rest];
}
