import type { User } from "./user.js";

/** A user as the table has it. */
export interface UserRow {
  readonly id: number;
  readonly status: User["status"];
  readonly created_at: number;
  readonly updated_at: number;
  readonly name: string;
  readonly email: string;
  readonly preferences: string;
  readonly tags: string;
  readonly address: string | null;
  readonly bio: string | null;
  readonly password_hash: string | null;
  readonly version: string;
}

export function userOf(row: UserRow): User {
  return {
    id: row.id,
    status: row.status,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    name: row.name,
    email: row.email,
    preferences: JSON.parse(row.preferences),
    tags: JSON.parse(row.tags),
    address: row.address === null ? undefined : JSON.parse(row.address),
    bio: row.bio ?? undefined,
    passwordHash: row.password_hash ?? undefined,
    version: row.version,
  };
}
