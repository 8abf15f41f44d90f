import type { LikePart } from "../../storage/filter.js";
import { type FilterCase, filterScenario } from "./filterScenario.js";
import type { Scenario } from "./scenario.js";
import type { Items, Stage } from "./stage.js";

const texts: Readonly<Record<string, string | null>> = {
  percent: "100% sure",
  number: "100 sure",
  underscore: "a_b",
  letter: "axb",
  backslash: "back\\slash",
  star: "star*",
  upper: "ÉCOLE",
  lower: "école",
  decomposed: "e\u0301cole",
  smile: "😀 smile",
  emoji: "😀",
  break: "line\nbreak",
  long: "a".repeat(400),
  empty: "",
  null: null,
};

async function prepareLike(stage: Stage): Promise<Items> {
  return stage.prepared("like", async () => {
    const items = await stage.open();
    await items.addAll(Object.entries(texts).map(([id, name]) => ({ id, name })));
    return items;
  });
}

const one: LikePart = { any: "one" };
const many: LikePart = { any: "many" };
const allTexts = Object.keys(texts).filter((id) => id !== "null");

const likes: readonly (readonly [name: string, parts: readonly LikePart[], ids: readonly string[], fold?: true])[] = [
  ["a literal alone has to be the whole text", ["axb"], ["letter"]],
  ["a part of the text does not match", ["ax"], []],
  ["a prefix", ["100", many], ["percent", "number"]],
  ["a suffix", [many, "sure"], ["percent", "number"]],
  ["a part in the middle", [many, "las", many], ["backslash"]],
  ["a percent sign in a literal is itself", ["100%", many], ["percent"]],
  ["an underscore in a literal is itself", ["a_b"], ["underscore"]],
  ["a backslash in a literal is itself", ["back\\", many], ["backslash"]],
  ["an asterisk in a literal is itself", [many, "*"], ["star"]],
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
  ["literals side by side are one", ["a", "x", "b"], ["letter"]],
  ["literals do not overlap", ["a_", many, "_b"], []],
  ["case counts", ["école"], ["lower"]],
  ["five runs that nearly match come to an end", ["a", many, "a", many, "a", many, "a", many, "b"], []],
  ["folded: case and normalisation do not count", ["École"], ["upper", "lower", "decomposed"], true],
  ["folded: the literal may be decomposed", ["E\u0301COLE"], ["upper", "lower", "decomposed"], true],
  ["folded: a prefix", ["ÉC", many], ["upper", "lower", "decomposed"], true],
  ["folded: a composed character is one character", [one, "cole"], ["upper", "lower", "decomposed"], true],
  ["folded: a percent sign in a literal is itself", [many, "0% S", many], ["percent"], true],
];

const likeCases = likes.map(
  ([name, parts, ids, fold]): FilterCase => ({ name: `like: ${name}`, filter: { op: "like", path: ["name"], parts, fold }, ids }),
);

const notLike: FilterCase = {
  name: "not like includes nulls",
  filter: { op: "not", arg: { op: "like", path: ["name"], parts: [many] } },
  ids: ["null"],
};

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
  ...[...likeCases, notLike].map((filterCase) => filterScenario(filterCase, prepareLike)),
  ...searchCases.map((filterCase) => filterScenario(filterCase, prepareSearch)),
];
