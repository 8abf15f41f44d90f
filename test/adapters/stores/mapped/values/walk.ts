import { expect } from "vitest";

export interface Page {
  readonly data: readonly { readonly id: number }[];
  readonly meta: { readonly nextCursor: string | null; readonly prevCursor: string | null };
}

/**
 * Reads all pages forwards, then backwards from the last one, and expects each row once, in the same order both ways.
 *
 * @param read reads the page of a cursor; of `null`: the first page
 * @param rowCount how many rows there are
 * @returns the ids, in the order of the pages
 */
export async function expectEachRowOnce(read: (cursor: string | null) => Promise<Page>, rowCount: number): Promise<readonly number[]> {
  const idsOf = ({ data }: Page) => data.map(({ id }) => id);
  let last = await read(null);
  const forwards = idsOf(last);
  // More rows than there are end the loop too, so that a cursor that repeats a page is a failure.
  for (let cursor = last.meta.nextCursor; cursor !== null && forwards.length <= rowCount; cursor = last.meta.nextCursor) {
    last = await read(cursor);
    forwards.push(...idsOf(last));
  }
  expect(new Set(forwards).size).toBe(rowCount);
  expect(forwards).toHaveLength(rowCount);
  const backwards = idsOf(last);
  for (let cursor = last.meta.prevCursor; cursor !== null && backwards.length <= rowCount; ) {
    const before = await read(cursor);
    backwards.unshift(...idsOf(before));
    cursor = before.meta.prevCursor;
  }
  expect(backwards).toEqual(forwards);
  return forwards;
}
