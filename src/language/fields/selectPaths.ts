type Blank = " " | "\t" | "\n" | "\r";

type Trim<S extends string> = S extends `${Blank}${infer Rest}` ? Trim<Rest> : S extends `${infer Rest}${Blank}` ? Trim<Rest> : S;

/** The text before the first delimiter. */
type Head<S extends string> = Before<Before<Before<S, ",">, "{">, "}">;

type Before<S extends string, Delimiter extends string> = S extends `${infer Start}${Delimiter}${string}` ? Start : S;

/**
 * The names in a `fields` text, as a union of dotted paths: `"id" | "address.city"`. Names to leave out keep their minus, and `*` stays `*`; within
 * braces both stand for the whole field around them.
 */
export type Paths<S extends string> = Read<S, [""], never>;

type Read<S extends string, Stack extends readonly string[], Found extends string> = Stack extends readonly [
  infer Prefix extends string,
  ...infer Outer extends readonly string[],
]
  ? Head<S> extends infer Text extends string
    ? S extends `${Text}{${infer Rest}`
      ? Read<Rest, [`${Prefix}${Trim<Text>}.`, ...Stack], Found>
      : S extends `${Text}}${infer Rest}`
        ? Read<Rest, Outer, Found | Item<Prefix, Trim<Text>>>
        : S extends `${Text},${infer Rest}`
          ? Read<Rest, Stack, Found | Item<Prefix, Trim<Text>>>
          : Found | Item<Prefix, Trim<Text>>
    : never
  : Found;

type Item<Prefix extends string, Text extends string> = Text extends ""
  ? never
  : Text extends "*"
    ? Around<Prefix, "*">
    : Text extends `-${infer Name}`
      ? `-${Prefix}${Name}` | Around<Prefix, never>
      : `${Prefix}${Text}`;

type Around<Prefix extends string, Outermost> = Prefix extends `${infer Name}.` ? Name : Outermost;
