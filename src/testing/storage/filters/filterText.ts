import type { Filter, LikePart } from "../../../ground/storage/filter.js";
import type { Path } from "../../../ground/storage/values/scalar.js";
import type { Scenario } from "../scenario.js";
import type { Items, Stage } from "../stage.js";
import { type FilterCase, filterScenario } from "./filterScenario.js";

const texts: Readonly<Record<string, string | null>> = {
  percent: "100% sure",
  number: "100 sure",
  underscore: "a_b",
  letter: "axb",
  backslash: "back\\slash",
  escaped: "50\\%",
  star: "star*",
  bracket: "x[a]y",
  class: "xay",
  question: "who?",
  quote: `it's "so"`,
  upper: "\u00c9COLE",
  lower: "\u00e9cole",
  decomposed: "e\u0301cole",
  smile: "\u{1f600} smile",
  emoji: "\u{1f600}",
  break: "line\nbreak",
  parts: "one, two, three, two, one",
  long: "a".repeat(400),
  empty: "",
  null: null,
};

/** A column, and paths inside JSON two and four levels deep. */
const textPaths: readonly Path[] = [["name"], ["address", "note"], ["address", "a", "b", "note"]];

async function prepareLike(stage: Stage): Promise<Items> {
  return stage.prepared("like", async () => {
    const items = await stage.open({ folded: textPaths, indexes: textPaths.map((path) => [path]) });
    const rowOf = (text: string | null) => ({ name: text, address: { note: text, a: { b: { note: text } } } });
    await items.addAll(Object.entries(texts).map(([id, text]) => ({ id, ...rowOf(text) })));
    return items;
  });
}

const one: LikePart = { any: "one" };
const many: LikePart = { any: "many" };
const allTexts = Object.keys(texts).filter((id) => id !== "null");
const school = ["upper", "lower", "decomposed"];

/** Patterns with the same matches whether or not case matters. */
const likes: readonly (readonly [name: string, parts: readonly LikePart[], ids: readonly string[]])[] = [
  ["a literal alone has to be the whole text", ["axb"], ["letter"]],
  ["a part of the text does not match", ["ax"], []],
  ["a prefix", ["100", many], ["percent", "number"]],
  ["a suffix", [many, "sure"], ["percent", "number"]],
  ["a part in the middle", [many, "las", many], ["backslash"]],
  ["a percent sign in a literal is itself", ["100%", many], ["percent"]],
  ["a percent sign alone is no wildcard", ["%"], []],
  ["an underscore in a literal is itself", ["a_b"], ["underscore"]],
  ["a backslash in a literal is itself", ["back\\", many], ["backslash"]],
  ["a backslash and a percent sign in a literal are themselves", [many, "\\%"], ["escaped"]],
  ["a backslash does not escape a wildcard", [many, "\\", many], ["backslash", "escaped"]],
  ["an asterisk in a literal is itself", [many, "*"], ["star"]],
  ["a question mark in a literal is itself", ["who?"], ["question"]],
  ["brackets in a literal are no class", ["x[a]y"], ["bracket"]],
  ["an opening bracket in a literal is itself", [many, "[", many], ["bracket"]],
  ["quotes in a literal are themselves", [many, `'s "`, many], ["quote"]],
  ["any one character", ["a", one, "b"], ["underscore", "letter"]],
  ["any one character is there", ["axb", one], []],
  ["an emoji is one character", [one], ["emoji"]],
  ["an emoji is not two characters", [one, one], []],
  ["a line break is a character", ["line", one, "break"], ["break"]],
  ["any run of characters runs over line breaks", ["line", many, "k"], ["break"]],
  ["any run of characters may be empty", ["axb", many], ["letter"]],
  ["any run alone means all text, also the empty one, and no null", [many], allTexts],
  ["two runs side by side", ["a", many, many, "b"], ["underscore", "letter"]],
  ["a run and one character mean at least one", [many, one], allTexts.filter((id) => id !== "empty")],
  ["one character and a literal at the end", [many, one, "mile"], ["smile"]],
  ["no parts mean the empty text", [], ["empty"]],
  ["an empty literal means the empty text", [""], ["empty"]],
  ["empty literals between others are nothing", ["", "a", "", "xb", ""], ["letter"]],
  ["literals side by side are one", ["a", "x", "b"], ["letter"]],
  ["literals do not overlap", ["a_", many, "_b"], []],
  ["parts follow each other", ["one", many, "two", many, "three", many], ["parts"]],
  ["parts in another order do not match", [many, "three", many, "one, two", many], []],
  ["four parts in the middle", [many, "ne", many, "tw", many, "tw", many, "ne", many], ["parts"]],
  ["a part that stands there twice is not found a third time", [many, "two", many, "two", many, "two", many], []],
  ["a start, parts and an end", ["one", many, "two", many, "two", many, "one"], ["parts"]],
  ["a part in the middle does not share characters with the end", [many, "two, one", many, "one"], []],
  ["a part in the middle does not share characters with the start", ["one, two", many, "two, three", many], []],
  ["parts in the middle do not share characters", [many, "two, three", many, "three, two", many], []],
  ["an end that is longer than the text", ["a", many, "xxxaxb"], []],
  ["a start and an end that fill the text", ["ax", many, "b"], ["letter"]],
  ["a start, a part and an end that fill the text", ["a", many, "x", many, "b"], ["letter"]],
  ["a part of characters beyond the first plane", ["\u{1f600}", many, "mi", many, "e"], ["smile"]],
  ["five runs that nearly match come to an end", ["a", many, "a", many, "a", many, "a", many, "b"], []],
];

const caseLikes: readonly (readonly [name: string, parts: readonly LikePart[], ids: readonly string[], folded: readonly string[]])[] = [
  ["a literal in lower case", ["\u00e9cole"], ["lower"], school],
  ["a literal in upper case", ["\u00c9COLE"], ["upper"], school],
  ["a decomposed literal", ["e\u0301cole"], ["decomposed"], school],
  ["a decomposed literal in upper case", ["E\u0301COLE"], [], school],
  ["a prefix in upper case", ["\u00c9C", many], ["upper"], school],
  ["one character and a literal", [one, "cole"], ["lower"], school],
  ["two characters and a literal", [one, one, "cole"], ["decomposed"], []],
  ["a percent sign between letters of another case", [many, "0% S", many], [], ["percent"]],
  ["a class of another case", ["X[A]Y"], [], ["bracket"]],
];

const likeCases = textPaths.flatMap((path) => {
  const column = path.join(".");
  const like = (parts: readonly LikePart[], fold?: true): Filter => ({ op: "like", path, parts, fold });
  const not = (arg: Filter): Filter => ({ op: "not", arg });
  return [
    ...likes.flatMap(([name, parts, ids]): FilterCase[] => [
      { name: `like on ${column}: ${name}`, filter: like(parts), ids },
      { name: `folded like on ${column}: ${name}`, filter: like(parts, true), ids },
    ]),
    ...caseLikes.flatMap(([name, parts, ids, folded]): FilterCase[] => [
      { name: `like on ${column}: case counts: ${name}`, filter: like(parts), ids },
      { name: `folded like on ${column}: case and normalisation do not count: ${name}`, filter: like(parts, true), ids: folded },
    ]),
    { name: `not like on ${column} includes nulls`, filter: not(like([many])), ids: ["null"] },
    { name: `not folded like on ${column} includes nulls`, filter: not(like([many], true)), ids: ["null"] },
  ];
});

async function prepareSearch(stage: Stage): Promise<Items> {
  return stage.prepared("search", async () => {
    const items = await stage.open();
    await items.addAll([
      { id: "a", name: "Élodie Durand", address: { city: "Paris" } },
      { id: "b", name: "Paris Hilton", address: { city: "New York" } },
      { id: "c", name: "100%_sure", address: null },
      { id: "d", name: null, address: { city: "paris", country: "Durand" }, code: "Durand" },
      { id: "e", address: { city: 75_000 } },
    ]);
    return items;
  });
}

const searches: readonly (readonly [name: string, text: string, ids: readonly string[]])[] = [
  ["a term in any searchable field, folded", "PARIS", ["a", "b", "d"]],
  ["a part of a word", "lodi", ["a"]],
  ["terms in different fields", "paris durand", ["a"]],
  ["terms in any order and with any white space between", " \t hilton \n paris ", ["b"]],
  ["every term has to be found", "paris missing", []],
  ["accents and their normalisation", "E\u0301LODIE", ["a"]],
  ["wildcards are themselves", "0%_s", ["c"]],
  ["a percent sign alone is no wildcard", "%", ["c"]],
  ["fields that are not searchable are not looked into", "durand", ["a"]],
  ["a blank text means every row", " ", ["a", "b", "c", "d", "e"]],
];

const searchCases = searches.map(([name, text, ids]): FilterCase => ({ name: `search: ${name}`, filter: { op: "search", text }, ids }));

export const textFilterScenarios: readonly Scenario[] = [
  ...likeCases.map((filterCase) => filterScenario(filterCase, prepareLike)),
  ...searchCases.map((filterCase) => filterScenario(filterCase, prepareSearch)),
];
