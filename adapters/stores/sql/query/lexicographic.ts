import type { Filter } from "../../../../src/ground/storage/filter.js";
import { microsOf } from "../../../../src/ground/storage/values/exactDate.js";
import type { Path, Scalar } from "../../../../src/ground/storage/values/scalar.js";

/** A list of paths compared with a list of values in lexicographic order. Engines search an index for it as one row value. */
export interface Lexicographic {
  readonly op: "gt" | "lt";
  readonly members: readonly { readonly path: Path; readonly value: Scalar }[];
}

/** Reads `a > 1 or (a = 1 and b > 2)`, at any depth, as `(a, b) > (1, 2)`: engines cannot search an index with an `or`. */
export function readLexicographic(filter: Filter): Lexicographic | undefined {
  if (filter.op === "gt" || filter.op === "lt") return { op: filter.op, members: [memberOf(filter)] };
  if (filter.op !== "or") return undefined;
  const [first, ...ties] = filter.args;
  if (first === undefined || (first.op !== "gt" && first.op !== "lt") || ties.length === 0) return undefined;
  const tieRests = ties.map((tie) => withoutEqual(tie, first.path, first.value)).filter((tie) => tie !== undefined);
  if (tieRests.length < ties.length) return undefined;
  const rest = readLexicographic(tieRests.length === 1 && tieRests[0] !== undefined ? tieRests[0] : { op: "or", args: tieRests });
  return rest?.op === first.op ? { op: first.op, members: [memberOf(first), ...rest.members] } : undefined;
}

function memberOf({ path, value }: Lexicographic["members"][number]): Lexicographic["members"][number] {
  return { path, value };
}

/** The filter that `readLexicographic` reads. */
export function lexicographicFilter({ op, members: [first, ...others] }: Lexicographic): Filter {
  if (first === undefined) return { op: "or", args: [] };
  const above: Filter = { op, ...first };
  if (others.length === 0) return above;
  const tie: Filter = { op: "and", args: [{ op: "eq", ...first }, lexicographicFilter({ op, members: others })] };
  return { op: "or", args: [above, tie] };
}

/** The conditions of an `and`, without bounds (`a >= 1`) that a row value among them implies: the engine would search the index with the bound instead. */
export function conjuncts(filter: Filter): readonly Filter[] {
  if (filter.op !== "and") return [filter];
  const args = filter.args.flatMap(conjuncts);
  const lists = args.flatMap((arg) => (arg.op === "or" ? (readLexicographic(arg) ?? []) : []));
  return args.filter((arg) => !lists.some((list) => isImplied(arg, list)));
}

function isImplied(filter: Filter, { op, members: [first] }: Lexicographic): boolean {
  if (first === undefined || !(op === "gt" ? filter.op === "gte" : filter.op === "lte")) return false;
  return "value" in filter && samePath(filter.path, first.path) && sameValue(filter.value, first.value);
}

export function samePath(left: Path, right: Path): boolean {
  return left.length === right.length && left.every((name, position) => name === right[position]);
}

/** The rest of an `and` whose first condition is `path = value`; `undefined` if it is not. */
function withoutEqual(filter: Filter, path: Path, value: Scalar): Filter | undefined {
  if (filter.op !== "and") return undefined;
  const [equal, ...others] = filter.args;
  if (equal?.op !== "eq" || !samePath(equal.path, path) || !sameValue(equal.value, value)) return undefined;
  const rest = conjuncts({ op: "and", args: others });
  return rest.length === 1 ? rest[0] : { op: "and", args: rest };
}

function sameValue(left: Scalar, right: Scalar): boolean {
  if (!(left instanceof Date && right instanceof Date)) return left === right;
  return left.getTime() === right.getTime() && microsOf(left) === microsOf(right);
}
