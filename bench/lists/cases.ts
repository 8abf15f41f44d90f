import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { clientOf, Received } from "../../test/tools/client.js";

/** Sends a request to a service. */
export type Send = ReturnType<typeof clientOf>;

/** A list, and how large a part of the rows is in it. */
export interface List {
  readonly query: string;
  readonly share: number;
}

/** By a unique date, by a column of 1,000 values in both directions, and filtered: each has an index. */
export const lists: readonly List[] = [
  { query: "sort=at", share: 1 },
  { query: "sort=rank", share: 1 },
  { query: "sort=-rank", share: 1 },
  { query: "status=open&sort=at", share: 1 / 4 },
];

export const counts = ["count=none", "default count"] as const;

/** One request of a list, and where in the list its page is. */
export interface Case {
  readonly list: string;
  readonly count: (typeof counts)[number];
  readonly page: string;
  readonly target: string;
  /** The most that a page by cursor may take in terms of the first page. */
  readonly bar?: number | undefined;
}

export const perPage = 20;
/** The last page of 20 that an offset reaches. */
const deepestPage = 500;
const cursorBar = 2;

/**
 * The cases of a list.
 *
 * @param distant The same service without a limit of offsets: its cursors are good for the other one, and lead to any depth.
 * @throws {AssertionError} where a page by cursor is not the page that an offset finds
 */
export async function casesOf({ query, share }: List, size: number, send: Send, distant: Send): Promise<Case[]> {
  const pages = Math.floor((size * share) / perPage);
  const list = `/entries?${query}&perPage=${perPage}`;
  const places: readonly Pick<Case, "page" | "target" | "bar">[] = [
    { page: "first", target: list },
    { page: `page ${Math.min(deepestPage, pages)}`, target: `${list}&page=${Math.min(deepestPage, pages)}` },
    { page: "cursor, half", target: await targetBehind(Math.floor(pages / 2), list, send, distant), bar: cursorBar },
    { page: "cursor, end", target: await targetBehind(pages - 2, list, send, distant), bar: cursorBar },
  ];
  return counts.flatMap((count) =>
    places.map(({ page, target, bar }) => ({ list: query, count, page, target: count === "count=none" ? `${target}&${count}` : target, bar })),
  );
}

/** @param page The page whose last row the cursor stands behind. */
async function targetBehind(page: number, list: string, send: Send, distant: Send): Promise<string> {
  const read = async (target: string): Promise<Received> => {
    const received = await distant({ target });
    strictEqual(received.status, 200, `${target}\n${received.text}`);
    return received;
  };
  const { nextCursor } = (await read(`${list}&count=none&page=${page}`)).json.meta;
  const target = `${list}&cursor=${nextCursor}`;
  const expected = (await read(`${list}&count=none&page=${page + 1}`)).json.data;
  strictEqual(expected.length, perPage, list);
  deepStrictEqual((await send({ target: `${target}&count=none` })).json.data, expected, target);
  return target;
}
