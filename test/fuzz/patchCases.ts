import { isObject } from "../../src/ground/http/isObject.js";
import type { JsonPatchLimits } from "../../src/language/patch/jsonPatchLimits.js";
import { pointersIn, valueAt } from "../language/patch/arbitraryPatch.js";
import type { Picker } from "./patchPicker.js";

const names = ["a", "b", "c", "0", "1", ""];
const scalars: readonly unknown[] = [null, true, false, 0, -0, 1, -1, 1.5, 2 ** 53, 1e308, "", "a", "text", "0"];
const operations = ["add", "remove", "replace", "move", "copy", "test"];

const strangeOperations: readonly unknown[] = ["toString", "__proto__", "constructor", "_get", "ADD", "", "hasOwnProperty", null, 0, ["add"]];
const strangeNames = [
  ...["-", "2", "01", "-0", "-1", "1e0", "2147483648", "4294967296", "9".repeat(400), "length", "constructor", "prototype", "toString", "toJSON"],
  ...["hasOwnProperty", "valueOf", "a/b", "m~n", "~1", " 1", "٠", "é", "\u2028"],
];
/** Written as they are, without escapes: many are no pointers. */
const strangePointers: readonly unknown[] = [
  ...["", "/", "a", "#/a", "/~", "/~2", "/a~", "//", "/__proto__", "/__proto__/a", "/a/__proto__", "/constructor/prototype"],
  ...["/constructor/prototype/a", "/\0", "/\ud800", "/a".repeat(70), `/${"x".repeat(2_000)}`, null, 0, true, ["/a"], { toString: "/a" }],
];
const strangeValues: readonly unknown[] = [
  ...[JSON.parse("1e400"), "\0", "\udfff", "x".repeat(100), Array.from({ length: 20 }, () => 0)],
  ...[JSON.parse('{"__proto__":{"polluted":1}}'), { constructor: { prototype: { polluted: 1 } } }, { prototype: 1 }, { toJSON: 1 }, [[[[[]]]]]],
];
const strangeBodies: readonly unknown[] = [null, {}, "[]", 1, [null], [[]], ["add"], { 0: { op: "remove", path: "/a" }, length: 1 }];

/** Mostly the defaults, now and then limits that small patches reach. */
export const someLimits: readonly Partial<JsonPatchLimits>[] = [
  {},
  {},
  {},
  {},
  {},
  { nodes: 12 },
  { characters: 30 },
  { depth: 3 },
  { operations: 2 },
];

/** A document of a few members, a few levels deep. */
export function makeDocument(pick: Picker): unknown {
  return pick.oneIn(30) ? pick.of(scalars) : makeContainer(pick, 0);
}

function makeContainer(pick: Picker, level: number): unknown {
  const make = () => (level < 4 && !pick.oneIn(3) ? makeContainer(pick, level + 1) : pick.of(scalars));
  if (pick.oneIn(3)) return pick.list(4, make);
  return Object.fromEntries(pick.list(5, () => [pick.oneIn(25) ? pick.of(strangeNames) : pick.of(names), make()] as const));
}

type Draft = Record<string, unknown>;

/** A patch that fits the document, but for what its own operations change in between. */
export function makePatch(pick: Picker, document: unknown): Draft[] {
  const pointers = pointersIn(document);
  const known = pointers.length > 1 ? pointers.slice(1) : pointers;
  const containers = pointers.filter((text) => typeof valueAt(document, text) === "object" && valueAt(document, text) !== null);
  const gap = () => {
    const container = containers.length > 0 ? pick.of(containers) : "";
    return `${container}/${isObject(valueAt(document, container)) ? pick.of(names) : pick.of(["-", "0"])}`;
  };
  return [0, ...pick.list(4, () => 0)].map(() => {
    const op = pick.of(operations);
    const path = pick.of(known);
    if (op === "test") return { op, path, value: valueAt(document, path) };
    if (op === "remove") return { op, path };
    if (op === "replace") return { op, path, value: makeContainer(pick, 3) };
    return op === "add" ? { op, path: gap(), value: makeContainer(pick, 3) } : { op, from: path, path: gap() };
  });
}

type Mutation = (pick: Picker, patch: Draft[], at: Draft) => void;

const mutations: readonly Mutation[] = [
  (pick, _patch, at) => Object.assign(at, { op: pick.of(pick.oneIn(3) ? strangeOperations : operations) }),
  (pick, _patch, at) => Object.assign(at, { [pick.of(["path", "from"])]: pick.of(strangePointers) }),
  (pick, _patch, at) => Object.assign(at, { path: `${textOf(at["path"])}/${escaped(pick.of(strangeNames))}` }),
  (pick, _patch, at) => Object.assign(at, { path: `${parentOf(at["path"])}/${escaped(pick.of(strangeNames))}` }),
  (_pick, _patch, at) => Object.assign(at, { path: parentOf(at["path"]) }),
  (_pick, _patch, at) => Object.assign(at, { from: parentOf(at["from"]) }),
  (_pick, _patch, at) => Object.assign(at, { from: at["path"], path: at["from"] }),
  (pick, _patch, at) => Object.assign(at, { value: pick.of(strangeValues) }),
  (pick, _patch, at) => Object.assign(at, { [pick.of(names)]: pick.of(scalars) }),
  (pick, _patch, at) => Reflect.deleteProperty(at, pick.of(["op", "path", "from", "value"])),
  (pick, patch, at) => patch.push(...Array.from({ length: pick.of([1, 3, 40, 120]) }, () => at)),
  (_pick, patch) => patch.reverse(),
  (pick, patch) => patch.splice(pick.below(patch.length), 1, structuredClone(pick.of(strangeBodies)) as Draft),
];

/** The patch, broken in a few places or in none. */
export function mutate(pick: Picker, patch: Draft[]): unknown {
  if (pick.oneIn(200)) return pick.of(strangeBodies);
  const mutated = [...patch];
  for (const mutation of pick.list(3, () => pick.of(mutations))) {
    const at = pick.of(mutated);
    if (isObject(at)) mutation(pick, mutated, at);
  }
  return mutated;
}

function parentOf(text: unknown): string {
  return textOf(text).slice(0, Math.max(0, textOf(text).lastIndexOf("/")));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
