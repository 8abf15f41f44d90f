import type { UserInput, UserQuery } from "./schema.js";

/** A stored user. */
export interface User extends UserInput {
  readonly id: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: string;
}

export type NewUser = Omit<User, "id">;

/** A user of a list: the fields that were asked for, and those that lists are sorted by. */
export type ListedUser = { readonly [K in keyof User]?: User[K] | undefined } & Pick<User, "id" | "createdAt">;

/** What a hand-written server keeps its users in. A store that answers at once returns no promise. */
export interface UserStore {
  get(id: number): Promise<User | undefined> | User | undefined;
  list(list: UserList): Promise<UserPage> | UserPage;
  /** `undefined` where the e-mail address is taken. */
  insert(user: NewUser): Promise<User | undefined> | User | undefined;
  /** Inserts all but those whose e-mail address is taken, by a row or by one before them: there the answer has `undefined`. */
  insertMany(users: readonly NewUser[]): Promise<readonly (User | undefined)[]> | readonly (User | undefined)[];
  /** Writes where the version is still `ifVersion`. */
  update(user: User, ifVersion: string): Promise<Update> | Update;
  /** Makes the table and fills it. */
  seed(users: readonly NewUser[]): Promise<void> | void;
  close(): Promise<void> | void;
}

/** A place beside a row of a sorted list, and the way to go from there. */
export interface Place extends Pick<User, "id" | "createdAt"> {
  readonly direction: "after" | "before";
}

/** What a list wants of its store. */
export interface UserList extends Pick<UserQuery, "status" | "name" | "sort" | "fields"> {
  readonly limit: number;
  /** How many rows to skip, or the place to begin at. */
  readonly start: number | Place;
}

export interface UserPage {
  /** Those nearest to the place come first. */
  readonly users: readonly ListedUser[];
  /** How many users match, counted up to one more than `countLimit`. */
  readonly total: number;
}

/** Totals are exact up to here. */
export const countLimit = 10_000;

export type Update = "written" | "stale" | "taken";

/** E-mail addresses that differ only in case are one. */
export function foldEmail(email: string): string {
  return email.normalize("NFC").toLowerCase();
}
