import type { User } from "./user.js";

/** A user as clients see it. */
export function showUser({ id, status, createdAt, updatedAt, name, email, preferences, tags, address }: User) {
  return { id, status, createdAt, updatedAt, name, email, preferences, tags, address };
}
