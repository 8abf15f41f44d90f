import type { Filter, LikePart } from "../../../src/ground/storage/filter.js";
import type { Path, Scalar } from "../../../src/ground/storage/values/scalar.js";

/** Filters as tests write them: fields by their dotted names. */
const at = (key: string): Path => key.split(".") as unknown as Path;

export const any: LikePart = { any: "many" };
export const eq = (key: string, value: Scalar): Filter => ({ op: "eq", path: at(key), value });
export const ne = (key: string, value: Scalar): Filter => ({ op: "ne", path: at(key), value });
export const gt = (key: string, value: Scalar): Filter => ({ op: "gt", path: at(key), value });
export const gte = (key: string, value: Scalar): Filter => ({ op: "gte", path: at(key), value });
export const lt = (key: string, value: Scalar): Filter => ({ op: "lt", path: at(key), value });
export const lte = (key: string, value: Scalar): Filter => ({ op: "lte", path: at(key), value });
export const oneOf = (key: string, ...values: Scalar[]): Filter => ({ op: "in", path: at(key), values });
export const has = (key: string): Filter => ({ op: "has", path: at(key) });
export const holds = (key: string, value: Scalar): Filter => ({ op: "contains", path: at(key), value });
export const like = (key: string, ...parts: LikePart[]): Filter => ({ op: "like", path: at(key), parts, fold: true });
export const and = (...args: Filter[]): Filter => ({ op: "and", args });
export const or = (...args: Filter[]): Filter => ({ op: "or", args });
export const not = (arg: Filter): Filter => ({ op: "not", arg });
