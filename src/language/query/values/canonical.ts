import { ExactDate } from "../../../ground/storage/values/exactDate.js";
import type { FilterTree } from "../grammar/tree.js";

/** A text that does not depend on the order of conditions, because the order of parameters has no meaning. */
export function canonicalText(tree: FilterTree): string {
  switch (tree.op) {
    case "and":
    case "or":
      return `${tree.op}(${tree.args.map(canonicalText).sort().join()})`;
    case "not":
      return `not(${canonicalText(tree.arg)})`;
    case "relation":
      return `related(${JSON.stringify(tree.relation)},${canonicalText(tree.filter)})`;
    case "related":
      return `related(${JSON.stringify([tree.path, tree.collection.name])},${canonicalText(tree.filter)})`;
    case "in":
      return `in(${JSON.stringify(tree.path)},[${tree.values.map(jsonOf).sort().join()}])`;
    default:
      return jsonOf(tree);
  }
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, function (this: Readonly<Record<string, unknown>>, key, member) {
    // Its `toJSON` has been called, which leaves out the microseconds.
    const given = this[key];
    if (given instanceof ExactDate) return `${member} ${given.micros}`;
    return typeof member === "bigint" ? `${member}n` : member;
  });
}
