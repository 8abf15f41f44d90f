import type { ListedField } from "./schema.js";
import type { ListedUser, User } from "./user.js";

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

/** A row of a list, with the columns that it asked for. */
export type ListedRow = Partial<UserRow> & Pick<UserRow, "id" | "created_at">;

export const listedColumns: Record<ListedField, keyof UserRow> = {
  id: "id",
  status: "status",
  createdAt: "created_at",
  updatedAt: "updated_at",
  name: "name",
  email: "email",
  preferences: "preferences",
  tags: "tags",
  address: "address",
  bio: "bio",
};

export function listedUserOf(row: ListedRow): ListedUser {
  const { id, status, created_at, updated_at, name, email, preferences, tags, address, bio } = row;
  return {
    id,
    status,
    createdAt: new Date(created_at),
    updatedAt: updated_at === undefined ? undefined : new Date(updated_at),
    name,
    email,
    preferences: preferences === undefined ? undefined : JSON.parse(preferences),
    tags: tags === undefined ? undefined : JSON.parse(tags),
    address: typeof address === "string" ? JSON.parse(address) : undefined,
    bio: bio ?? undefined,
  };
}
