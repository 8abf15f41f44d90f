import type { Limits } from "../limits/limits.js";
import type { ProblemItem } from "../problem/index.js";
import type { Filter } from "../storage/filter.js";
import type { Scalar } from "../storage/scalar.js";
import { decodeQueryPart } from "./decode.js";
import type { QueryField } from "./table.js";
import { parseValue } from "./value.js";

/** The raw values that a query gave one field; several spellings of equality are one condition, any of whose values may match. */
export interface Equality {
  readonly target: QueryField;
  readonly rawValues: string[];
}

/**
 * The condition "the field equals one of these values"; an array field holds one of them.
 *
 * Faults go to `problems`; the result is then `undefined`.
 */
export function parseEquality({ target, rawValues }: Equality, limits: Limits, problems: ProblemItem[]): Filter | undefined {
  const texts = rawValues.flatMap((raw) => splitList(target, raw));
  if (texts.length > limits.listValues) {
    problems.push({
      code: "QUERY_TOO_COMPLEX",
      detail: `"${target.key}" has ${texts.length} values; allowed: ${limits.listValues}.`,
      parameter: target.key,
    });
    return undefined;
  }
  const conditions = texts.flatMap((text) => parseItem(target, text, texts.length > 1, limits, problems) ?? []);
  return conditions.length === texts.length ? anyOf(target, conditions) : undefined;
}

/** Text may hold an encoded comma, so it is split before decoding; in every other type a comma can only separate. */
function splitList(target: QueryField, raw: string): string[] {
  const leaf = target.field.element ?? target.field;
  if (leaf.kind === "text") return raw.split(",").map(decodeQueryPart);
  return decodeQueryPart(raw).split(",");
}

type Condition = { readonly value: Scalar } | { readonly day: readonly [Date, Date] };

function parseItem(target: QueryField, text: string, inList: boolean, limits: Limits, problems: ProblemItem[]): Condition | undefined {
  const leaf = target.field.element ?? target.field;
  if (text === "" && (inList || leaf.kind !== "text")) {
    problems.push({ code: "EMPTY_VALUE", detail: `"${target.key}" has an empty value.`, parameter: target.key });
    return undefined;
  }
  if (Buffer.byteLength(text) > limits.valueBytes) {
    const detail = `A value of "${target.key}" is longer than ${limits.valueBytes} bytes.`;
    problems.push({ code: "QUERY_TOO_COMPLEX", detail, parameter: target.key });
    return undefined;
  }
  const parsed = parseValue(leaf, text);
  // An array has no range that a day could be: it holds a value or it does not.
  const expected =
    "expected" in parsed ? parsed.expected : "day" in parsed && target.field.kind === "array" ? "a date-time with Z or an offset" : undefined;
  if (expected !== undefined || "expected" in parsed) {
    const detail = `"${target.key}" must be ${expected}; got "${text.slice(0, 64)}".`;
    const allowed = leaf.kind === "enum" ? { allowed: leaf.values?.map(String) } : {};
    problems.push({ code: "INVALID_VALUE", detail, parameter: target.key, ...allowed });
    return undefined;
  }
  return parsed;
}

function anyOf(target: QueryField, conditions: readonly Condition[]): Filter {
  const { path, field } = target;
  const values = conditions.flatMap((condition) => ("value" in condition ? [stored(target, condition.value)] : []));
  const days = conditions.flatMap((condition) => ("day" in condition ? [within(target, condition.day)] : []));
  const equal: Filter[] =
    field.kind === "array"
      ? values.map((value) => ({ op: "contains", path, value }))
      : values.length === 0
        ? []
        : [values.length === 1 ? { op: "eq", path, value: values[0] ?? null } : { op: "in", path, values: [...new Set(values)] }];
  const all = [...equal, ...days];
  return all.length === 1 && all[0] ? all[0] : { op: "or", args: all };
}

function within(target: QueryField, [from, until]: readonly [Date, Date]): Filter {
  const { path } = target;
  return {
    op: "and",
    args: [
      { op: "gte", path, value: stored(target, from) },
      { op: "lt", path, value: stored(target, until) },
    ],
  };
}

/** Inside JSON a date-time is kept as UTC text, which sorts as its instants do, and a bigint as its digits. */
function stored({ path, field }: QueryField, value: Scalar): Scalar {
  if (path.length === 1 && field.kind !== "array") return value;
  if (value instanceof Date) return value.toISOString();
  return typeof value === "bigint" ? value.toString() : value;
}
