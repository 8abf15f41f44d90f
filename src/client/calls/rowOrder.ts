type Members = Readonly<Record<string, unknown>>;

/** Whether a row comes before another one: less than 0 if so, more than 0 if it comes after it. */
export type RowOrder = (one: object, other: object) => number;

interface Key {
  readonly path: readonly string[];
  readonly sign: 1 | -1;
}

/**
 * The order in which the service lists rows: by the keys of `sort`, then by the id in the direction of the last key. Null is the lowest value, text is compared by code point.
 *
 * Decimals and large integers are text in JSON too. The text of a key counts as numbers if all listed rows have numbers there, unless the service lists them in another order.
 *
 * @param listed rows as the service lists them
 * @throws {TypeError} if they are in another order because they do not show a key
 */
export function rowOrder(sort: string | readonly string[] | undefined, idNames: readonly string[], listed: readonly object[]): RowOrder {
  const keys = keysOf(sort, idNames);
  const byNumber = orderBy(keys, (key) => listed.every((row) => isNumberOrNone(valueAt(row, key))));
  if (isInOrder(listed, byNumber)) return byNumber;
  const byText = orderBy(keys, () => false);
  const hidden = keys.find((key) => listed.every((row) => valueAt(row, key) === undefined));
  if (hidden && !isInOrder(listed, byText))
    throw new TypeError(`The rows do not show "${hidden.path.join(".")}", which "sort" names: add it to "fields".`);
  return byText;
}

/** The paths of the keys, with those of the id. */
export function sortPaths(sort: string | readonly string[] | undefined, idNames: readonly string[]): string[] {
  return keysOf(sort, idNames).map(({ path }) => path.join("."));
}

function keysOf(sort: string | readonly string[] = [], idNames: readonly string[]): Key[] {
  const keys = [sort]
    .flat()
    .flatMap((each) => each.split(","))
    .map((each): Key => ({ path: each.replace(/^[-+]/, "").split("."), sign: each.startsWith("-") ? -1 : 1 }));
  const sign = keys.at(-1)?.sign ?? 1;
  return [...keys, ...idNames.map((name): Key => ({ path: [name], sign }))];
}

function orderBy(keys: readonly Key[], areNumbers: (key: Key) => boolean): RowOrder {
  const all = keys.map((key) => ({ key, compare: areNumbers(key) ? compareNumbers : compareTexts }));
  return (one, other) => {
    for (const { key, compare } of all) {
      const difference = compareValues(valueAt(one, key), valueAt(other, key), compare);
      if (difference !== 0) return difference * key.sign;
    }
    return 0;
  };
}

function valueAt(row: object, { path }: Key): unknown {
  let value: unknown = row;
  for (const name of path) value = (value as Members | null | undefined)?.[name];
  return value;
}

function isInOrder(rows: readonly object[], order: RowOrder): boolean {
  return rows.every((row, index) => index === 0 || order(rows[index - 1] ?? row, row) <= 0);
}

function compareValues(one: unknown, other: unknown, compareText: (one: string, other: string) => number): number {
  if (typeof one === "string" && typeof other === "string") return compareText(one, other);
  const [a, b] = [one ?? null, other ?? null];
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return Number(a) - Number(b) || 0;
}

/** By code point, and not by the units of UTF-16: there surrogates, which stand for the highest code points, are lower than U+E000. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const number = /^-?\d+(\.\d+)?$/;

function isNumberOrNone(value: unknown): boolean {
  return typeof value !== "string" || number.test(value);
}

/** Integers that a double cannot tell apart have the same number of digits, or are told apart by it. */
function compareNumbers(one: string, other: string): number {
  if (!number.test(one) || !number.test(other)) return compareTexts(one, other);
  return Number(one) - Number(other) || (one.startsWith("-") ? -1 : 1) * (one.length - other.length || compareTexts(one, other));
}
