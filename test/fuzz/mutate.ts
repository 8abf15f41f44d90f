import { integer, pick, type Random } from "./random.js";

const seeds: readonly [string, ...string[]] = [
  "status=open,paid&total[gte]=5&total[lt]=100&createdAt[gte]=2026-01-31&address.city=Berlin&tags=a&sort=-createdAt,name&page=2",
  "name[like]=*ann*&has=email,address.geo&q=ann+rom&perPage=100&count=exact",
  "address[geo][lat]__gte=1.5&address_city!=Rom&tags[all]=a%2Cb,c&tag[]=x&fields[users]=id,name{a,b}&include=customer.company",
  "name=Doe%2C+John&email=a%2Bb%40example.com&key=0f6f4a0e-3a53-4c0b-9c43-3f5a2c8f1f0d&big=9007199254740993&active=1&either=x,5",
  "createdFrom=2026-01-31T10:00:00+02:00&createdTo=2026-02-01&minTotal=1e3&maxTotal=-0.5&cursor=eyJ.abc&ssn=1&secret=2&plan=3",
];
const pieces: readonly [string, ...string[]] = [
  ..."&=%+[],.!*_-\\{}()'\"<>#;:@/?|^~ 0129azAZ\0\n\r\t\u007f\u00e9\u2028\ud83d\ude00\uffff",
  ...["%00", "%2", "%zz", "%C3", "%C3%A9", "%F0%9F%98%80", "%ED%A0%80", "%EF%BB%BF", "%25", "%26", "%3D", "%2C", "%2B", "%5B", "%5D"],
  ...["[]", "[eq]", "[foo]", "__", "__gte", "![]", "[__proto__]", "[constructor][prototype]", "[0]", "[[", "]]"],
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "null", "undefined", "NaN", "Infinity", "-0", "1e309", "0x10", "01"],
  ...["&&&&", "==", ",,,,", "....", "%%%%", "****", "fields[", "sort=", "has=", "q=", "page=", "cursor=", "_method=DELETE", "secret", "plan", "ssn"],
  ...["2026-02-30", "0000-01-01", "9999-12-31", "2026-01-31T24:00:00Z", "+010000-01-01", "1970-01-01T00:00:00.000000001Z"],
] as unknown as [string, ...string[]];

/** A query string that was a sensible one before some accidents. */
export function randomQuery(random: Random): string {
  let text = pick(random, seeds);
  for (let accidents = integer(random, 8); accidents >= 0; accidents--) text = damage(text, random);
  return text;
}

function damage(text: string, random: Random): string {
  const at = integer(random, text.length + 1);
  const to = Math.min(text.length, at + integer(random, 12));
  const piece = pick(random, pieces);
  switch (integer(random, 8)) {
    case 0:
      return text.slice(0, at) + text.slice(to);
    case 1:
      return text.slice(0, at) + text.slice(at, to) + text.slice(at);
    case 2:
      return text.slice(0, at) + String.fromCharCode(integer(random, 0x10000)) + text.slice(at);
    case 3:
      return text.slice(0, at) + encodeURIComponent(text.slice(at, to).toWellFormed()) + text.slice(to);
    case 4:
      return text.slice(0, at) + piece.repeat(1 + integer(random, integer(random, 40) === 0 ? 3_000 : 4)) + text.slice(at);
    case 5: {
      const other = pick(random, seeds);
      return text.slice(0, at) + other.slice(integer(random, other.length));
    }
    default:
      return text.slice(0, at) + piece + text.slice(to);
  }
}

const names: readonly [string, ...string[]] = [
  ...["id", "name", "email", "status", "level", "total", "quantity", "big", "active", "day", "createdAt", "key", "tags", "counts", "seen", "either"],
  ...[
    "address",
    "address.city",
    "address.geo.lat",
    "lines",
    "extra",
    "ssn",
    "secret",
    "plan",
    "and",
    "or",
    "not",
    "__proto__",
    "constructor",
    "a/b~c",
    "",
  ],
] as unknown as [string, ...string[]];
const words: readonly [string, ...string[]] = [
  "eq",
  "ne",
  "in",
  "nin",
  "gt",
  "gte",
  "lt",
  "lte",
  "like",
  "all",
  "exists",
  "foo",
  "city",
  "geo",
  "__proto__",
];
const members: readonly [string, ...string[]] = [
  "filter",
  "sort",
  "fields",
  "exclude",
  "include",
  "q",
  "page",
  "perPage",
  "cursor",
  "count",
  "colour",
];

/** The JSON text of a search that may have been a sensible one. */
export function randomSearch(random: Random): string {
  const parts = Array.from({ length: 1 + integer(random, 3) }, (_, index) => {
    const member = index === 0 ? "filter" : pick(random, members);
    return `${JSON.stringify(member)}:${member === "filter" ? randomFilter(random, 0) : randomValue(random)}`;
  });
  return `{${parts.join()}}`;
}

function randomFilter(random: Random, depth: number): string {
  if (depth > 9 || integer(random, 12) === 0) return randomValue(random);
  const wide = integer(random, 400) === 0 ? 150 : 3;
  const parts = Array.from({ length: integer(random, wide) }, () => {
    const name = pick(random, integer(random, 5) === 0 ? words : names);
    const value =
      name === "and" || name === "or" ? `[${randomFilter(random, depth + 1)},${randomFilter(random, depth + 1)}]` : randomOperand(random, depth);
    return `${JSON.stringify(name)}:${value}`;
  });
  return `{${parts.join()}}`;
}

function randomOperand(random: Random, depth: number): string {
  if (integer(random, 3) === 0) return randomFilter(random, depth + 1);
  return integer(random, 2) === 0 ? `{${JSON.stringify(pick(random, words))}:${randomValue(random)}}` : randomValue(random);
}

function randomValue(random: Random): string {
  switch (integer(random, 10)) {
    case 0:
      return pick(random, ["null", "true", "false", "{}", "[]", '""', "[[[]]]", '{"toString":1,"valueOf":null}']);
    case 1:
      return pick(random, ["0", "-1", "1.5", "1e308", "1e309", "-0", "9007199254740993", "7"]);
    case 2:
      return `[${Array.from({ length: integer(random, integer(random, 50) === 0 ? 200 : 4) }, () => randomValue(random)).join()}]`;
    case 3:
      return JSON.stringify(damage(pick(random, seeds), random));
    default:
      return JSON.stringify(pick(random, pieces).repeat(1 + integer(random, 3)));
  }
}
