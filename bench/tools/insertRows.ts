import type { Collection, NewRow } from "restwright";

const batch = 500;

/** @throws {Error} where a row was not inserted */
export async function insertRows(collection: Collection, rows: readonly NewRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += batch) {
    const outcomes = await collection.insertMany?.(rows.slice(start, start + batch), { returning: "none" });
    if (!outcomes?.every(({ ok }) => ok)) throw new Error(`Rows from ${start} on were not inserted.`);
  }
}
