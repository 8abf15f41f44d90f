import type { Filter } from "../../../ground/storage/filter.js";
import type { SortKey } from "../../../ground/storage/query.js";
import type { Path, Scalar } from "../../../ground/storage/values/scalar.js";

/** Sorts by a path, then by the id in the same direction. */
export function sorted(path: Path, dir: SortKey["dir"]): SortKey[] {
  return [
    { path, dir },
    { path: ["id"], dir },
  ];
}

/** The filter for rows after the one with `value` and `id`, as cursors compile it. Null is the lowest value. */
export function after(path: Path, dir: SortKey["dir"], value: Scalar, id: Scalar, nullable = true): Filter {
  const [beyond, bound] = dir === "asc" ? (["gt", "gte"] as const) : (["lt", "lte"] as const);
  const isNull: Filter = { op: "eq", path, value: null };
  const tie: Filter = {
    op: "and",
    args: [
      { op: "eq", path, value },
      { op: beyond, path: ["id"], value: id },
    ],
  };
  if (value === null) return dir === "asc" ? { op: "or", args: [{ op: "has", path }, tie] } : tie;
  const past: Filter[] = [{ op: beyond, path, value }];
  const reached: Filter[] = [{ op: bound, path, value }];
  if (dir === "desc" && nullable) {
    past.push(isNull);
    reached.push(isNull);
  }
  const from: Filter = reached.length === 1 && reached[0] !== undefined ? reached[0] : { op: "or", args: reached };
  return { op: "and", args: [from, { op: "or", args: [...past, tie] }] };
}
