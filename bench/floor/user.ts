import type { UserInput, UserQuery } from "./schema.js";

/** A stored user. */
export interface User extends UserInput {
  readonly id: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: string;
}

export type NewUser = Omit<User, "id">;

/** What a hand-written server keeps its users in. A store that answers at once returns no promise. */
export interface UserStore {
  get(id: number): Promise<User | undefined> | User | undefined;
  /** A page of users and how many match. */
  list(query: UserQuery): Promise<UserPage> | UserPage;
  /** `undefined` where the e-mail address is taken. */
  insert(user: NewUser): Promise<User | undefined> | User | undefined;
  /** Writes where the version is still `ifVersion`. */
  update(user: User, ifVersion: string): Promise<Update> | Update;
  /** Makes the table and fills it. */
  seed(users: readonly NewUser[]): Promise<void> | void;
  close(): Promise<void> | void;
}

export interface UserPage {
  readonly users: readonly User[];
  readonly total: number;
}

export type Update = "written" | "stale" | "taken";

/** E-mail addresses that differ only in case are one. */
export function foldEmail(email: string): string {
  return email.normalize("NFC").toLowerCase();
}
