import { stringify } from "csv-stringify/sync";
import { csvCell } from "./csvText.js";
import type { Floor } from "./floor.js";

/** A user of an export; the members of JSON columns are text. */
export interface ExportedUser {
  readonly id: number | string;
  readonly name: string;
  readonly email: string;
  readonly status: string;
  /** JSON. */
  readonly tags: string;
  readonly city: string | null;
  readonly country: string | null;
  readonly createdAt: Date;
}

export type WriteUsers = (users: readonly ExportedUser[]) => string;

/** Makes the bytes of one batch after the other, and lets others have their turn in between, as a response would. */
export async function exportByHand(floor: Pick<Floor, "everyone">, write: WriteUsers): Promise<number> {
  let count = 0;
  for await (const users of floor.everyone()) {
    sent += Buffer.from(write(users)).length;
    count += users.length;
    await new Promise(setImmediate);
  }
  return count;
}

export const csvOf: WriteUsers = (users) => {
  let text = "";
  for (const { id, name, email, status, tags, city, country, createdAt } of users) {
    text += `${id},${csvCell(name)},${csvCell(email)},${status},${csvCell(tags)},${csvCell(city)},${csvCell(country)},${createdAt.toISOString()}\r\n`;
  }
  return text;
};

export const stringified: WriteUsers = (users) =>
  stringify(
    users.map(({ id, name, email, status, tags, city, country, createdAt }) => [
      id,
      name,
      email,
      status,
      tags,
      city,
      country,
      createdAt.toISOString(),
    ]),
    { record_delimiter: "\r\n" },
  );

export const ndjsonOf: WriteUsers = (users) => {
  let text = "";
  for (const { id, name, email, status, tags, city, country, createdAt } of users) {
    const address = city === null ? "null" : JSON.stringify({ city, country });
    text += `{"id":${id},"name":${JSON.stringify(name)},"email":${JSON.stringify(email)},"status":"${status}","tags":${tags},"address":${address},"createdAt":"${createdAt.toISOString()}"}\n`;
  }
  return text;
};

/** Kept where the compiler cannot know that nobody looks at it. */
export let sent = 0;
