import { expect } from "vitest";

/** Texts of which each is no value of some type of column, or a rare one. */
export const hostileTexts: readonly string[] = [
  ...["99999999999999999999", "-99999999999999999999", "1e308", "-1e309", "9".repeat(300), `0.${"1".repeat(300)}`, "0.1", "-0", "07", "+7"],
  ...["NaN", "Infinity", "0x10", "1_000", "9223372036854775808", "2147483648", "32768", "9007199254740993", "3.5e38", "1e-320"],
  ...[
    "\0",
    "a\0b",
    "\u{1f600}",
    "\ufffe",
    "\u0301",
    "'",
    "\\",
    "%",
    "_",
    "*",
    "a*b*",
    "?",
    "",
    " ",
    "x".repeat(500),
    "null",
    "true",
    "{",
    "[]",
    "{}",
  ],
  ...["not-a-uuid", "00000000000040008000000000000001", "{00000000-0000-4000-8000-000000000001}"],
  ...["bad", "toolong", "unknown", "happy", "10.0.0.1/99", "10.0.0.1", "abcde", "ab   ", "QR==", "QQ==", "Q"],
  ...["2026-02-30", "0000-00-00", "2026-01-31", "-0001-01-01", "-200000-01-01T00:00:00Z", "+275760-09-13T00:00:00Z", "0000-01-01T00:00:00Z"],
  "2026-01-31T12:00:00.123Z",
];

/** The texts as a part of an address, and bytes that are no text: a lone surrogate in UTF-8, and half a character. */
export const hostileParts: readonly string[] = [...hostileTexts.filter((text) => text !== "").map(encodeURIComponent), "%ED%A0%80", "a%C3", "%00%"];

/** JSON with values that columns cannot have, texts with half a character among them. */
const literals: readonly string[] = [
  ...hostileTexts.map((text) => JSON.stringify(text)),
  ...["1e308", "-1e300", "1e-320", "99999999999999999999", "2147483648", "32768", "0.00001", "123456789012.5", "1e999", "-0"],
  ...[`"\\ud800"`, `"\\u0000"`, `["\\u0000"]`, `["\\ud800"]`, `{"city":"\\u0000"}`, `{"city":"\\ud800"}`, `{"floor":1e308}`, "[[1]]", "[null]"],
];

const operators = ["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "like", "ilike", "exists", "contains", "between", "startsWith"];

export interface HostileRequest {
  readonly method: string;
  readonly target: string;
  /** JSON. */
  readonly body?: string;
}

/** @param path the collection, such as `/things` */
export function* hostileFilters(path: string, fields: readonly string[]): Generator<HostileRequest> {
  for (const field of fields) {
    for (const operator of operators) {
      for (const part of ["", ...hostileParts]) yield { method: "GET", target: `${path}?perPage=1&fields=id&${field}[${operator}]=${part}` };
    }
  }
}

/** Lists of 60 values, more than are compared one by one. */
export function* hostileLists(path: string, fields: readonly string[]): Generator<HostileRequest> {
  const texts = Array.from({ length: 60 }, (_, index) => encodeURIComponent((hostileTexts[index % hostileTexts.length] ?? "").slice(0, 40)));
  const numbers = Array.from({ length: 60 }, (_, index) => index);
  for (const field of fields) {
    for (const list of [texts, numbers]) yield { method: "GET", target: `${path}?perPage=1&fields=id&${field}=${list.join(",")}` };
  }
}

/** Requests for rows that are not there. @param ids as parts of an address; a row with one of them would be removed */
export function* hostileIds(path: string, ids: readonly string[]): Generator<HostileRequest> {
  for (const id of ids) {
    yield { method: "GET", target: `${path}/${id}` };
    yield { method: "PATCH", target: `${path}/${id}`, body: "{}" };
    yield { method: "DELETE", target: `${path}/${id}` };
  }
}

/** @param id a row that is there */
export function* hostileBodies(path: string, fields: readonly string[], id: string): Generator<HostileRequest> {
  for (const field of fields) {
    for (const literal of literals) {
      yield { method: "POST", target: path, body: `{"${field}":${literal}}` };
      yield { method: "PATCH", target: `${path}/${id}`, body: `{"${field}":${literal}}` };
    }
  }
}

/** Ids and foreign keys in bodies: of rows that are made, changed, removed and named. @param key the foreign key of the rows of `children` */
export function* hostileKeys(path: string, children: string, key: string): Generator<HostileRequest> {
  for (const id of literals) {
    yield { method: "POST", target: `${path}/batch-delete`, body: `{"ids":[${id}]}` };
    yield { method: "PATCH", target: `${path}/batch`, body: `{"items":[{"id":${id},"changes":{}}]}` };
    yield { method: "POST", target: `${path}/batch`, body: `{"items":[{"id":${id}}]}` };
    yield { method: "POST", target: `${path}/import?onError=continue`, body: `[{"id":${id}}]` };
    yield { method: "POST", target: children, body: `{"${key}":${id}}` };
    yield { method: "POST", target: `${children}/batch`, body: `{"items":[{"${key}":${id}}]}` };
  }
}

/** @param cursor a cursor of the list that is sorted by the field, which is sent to another list, whole and damaged */
export function* hostileCursors(path: string, field: string, cursor: string): Generator<HostileRequest> {
  const [text = "", code] = cursor.split(".");
  const changed = ["\u0000", "9".repeat(300), "not-a-uuid"].map(
    (value) => `${btoa(JSON.stringify([2, "after", [value, 1]])).replaceAll("=", "")}.${code}`,
  );
  for (const sent of [...changed, `${text}x.${code}`, text, "9".repeat(300), "%00", "%ED%A0%80", cursor]) {
    yield { method: "GET", target: `${path}?sort=-${field}&cursor=${sent}` };
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends all requests, and expects only these statuses. @returns how many answers each status had */
export async function expectStatuses(
  send: (request: HostileRequest) => Promise<Answer>,
  requests: Iterable<HostileRequest>,
  allowed: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  const others: string[] = [];
  for (const request of requests) {
    const { status, text } = await send(request);
    counts.set(status, (counts.get(status) ?? 0) + 1);
    // The items of a batch have statuses of their own.
    if (allowed.includes(status) && !/"status":5/.test(text)) continue;
    const { method, target, body = "" } = request;
    others.push(`${method} ${target.slice(0, 200)} ${body.slice(0, 200)}: ${status} ${text.slice(0, 300)}`);
  }
  expect(counts.size).toBeGreaterThan(0);
  expect(others.slice(0, 5)).toEqual([]);
  return counts;
}
