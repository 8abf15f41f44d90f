import { createHmac, timingSafeEqual } from "node:crypto";
import type { UserQuery } from "./schema.js";
import type { ListedUser, Place } from "./user.js";

const codeLength = 22;

/** A signed text for the place beside a user: good for lists with the same filters and order. */
export function writeCursor(direction: Place["direction"], { id, createdAt }: ListedUser, query: UserQuery, key: Buffer): string {
  const text = Buffer.from(JSON.stringify([direction, id, createdAt.getTime()])).toString("base64url");
  return `${text}.${sign(text, query, key)}`;
}

/** `undefined` for a text that was changed, or made for another list. */
export function readCursor(cursor: string, query: UserQuery, key: Buffer): Place | undefined {
  const [text = "", code = ""] = cursor.split(".");
  const given = Buffer.from(code);
  const expected = Buffer.from(sign(text, query, key));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const [direction, id, createdAt] = JSON.parse(Buffer.from(text, "base64url").toString()) as [Place["direction"], number, number];
  return { direction, id, createdAt: new Date(createdAt) };
}

/** HMAC-SHA256, cut to 132 bits. */
function sign(text: string, { status, name, sort }: UserQuery, key: Buffer): string {
  const list = JSON.stringify([text, sort, status, name]);
  return createHmac("sha256", key).update(list).digest("base64url").slice(0, codeLength);
}
