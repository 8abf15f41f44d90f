import type { ProblemCode } from "./codes.js";

/** `externalId` → `DUPLICATE_EXTERNAL_ID`; the fields of a composite key are joined by `_`. */
export function duplicateCode(fields: readonly string[]): ProblemCode {
  const upperSnake = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();
  return `DUPLICATE_${fields.map(upperSnake).join("_")}`;
}

/** What {@link duplicateCode} returns, for the compiler: of a field, or of a tuple of fields; of several keys a union. */
export type DuplicateCode<Key extends string | readonly string[]> = Key extends readonly string[]
  ? `DUPLICATE_${JoinedFields<Key>}`
  : Key extends string
    ? `DUPLICATE_${UpperSnake<Key>}`
    : never;

type JoinedFields<Fields extends readonly string[]> = Fields extends readonly [infer Only extends string]
  ? UpperSnake<Only>
  : Fields extends readonly [infer First extends string, ...infer Others extends string[]]
    ? `${UpperSnake<First>}_${JoinedFields<Others>}`
    : string;

/** An accumulator, so that the compiler does not nest: names may be long. */
type UpperSnake<Rest extends string, Before extends string = "", Made extends string = ""> = string extends Rest
  ? string
  : Rest extends `${infer Character}${infer Others}`
    ? UpperSnake<Others, Character, `${Made}${Character extends Capital ? (Before extends BeforeCapital ? "_" : "") : ""}${Uppercase<Character>}`>
    : Made;

type Letter =
  | "a"
  | "b"
  | "c"
  | "d"
  | "e"
  | "f"
  | "g"
  | "h"
  | "i"
  | "j"
  | "k"
  | "l"
  | "m"
  | "n"
  | "o"
  | "p"
  | "q"
  | "r"
  | "s"
  | "t"
  | "u"
  | "v"
  | "w"
  | "x"
  | "y"
  | "z";
type Capital = Uppercase<Letter>;
type BeforeCapital = Letter | `${0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9}`;
