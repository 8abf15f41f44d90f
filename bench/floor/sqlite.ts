import { countSql, listSql } from "./listSql.js";
import type { SqliteDatabase, SqliteStatement, SqliteValue } from "./sqliteDatabase.js";
import { type ListedRow, listedColumns, listedUserOf, type UserRow, userOf } from "./sqliteRow.js";
import { foldEmail, type NewUser, type Update, type User, type UserList, type UserPage, type UserStore } from "./user.js";

const table = `CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, name TEXT NOT NULL,
  email TEXT NOT NULL, email_fold TEXT NOT NULL UNIQUE, preferences TEXT NOT NULL, tags TEXT NOT NULL, address TEXT, bio TEXT, password_hash TEXT,
  version TEXT NOT NULL
);
CREATE INDEX users_status ON users (status, created_at);
CREATE INDEX users_created_at ON users (created_at)`;

/** Of the table, in the order of {@link valuesOf}. */
export const columns = [
  "status",
  "created_at",
  "updated_at",
  "name",
  "email",
  "email_fold",
  "preferences",
  "tags",
  "address",
  "bio",
  "password_hash",
  "version",
];

/** Users in SQLite, by prepared statements. */
export class SqliteUsers implements UserStore {
  readonly #database: SqliteDatabase;
  readonly #get: SqliteStatement;
  readonly #insert: SqliteStatement;
  readonly #update: SqliteStatement;
  /** One statement a combination of filters, order and columns. */
  readonly #lists = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
    database.exec(table);
    this.#get = database.prepare("SELECT * FROM users WHERE id = ?");
    const marks = columns.map(() => "?").join(", ");
    this.#insert = database.prepare(`INSERT INTO users (${columns.join(", ")}) VALUES (${marks}) ON CONFLICT (email_fold) DO NOTHING`);
    this.#update = database.prepare(`UPDATE users SET ${columns.map((column) => `${column} = ?`).join(", ")} WHERE id = ? AND version = ?`);
  }

  get(id: number): User | undefined {
    const row = this.#get.get(id) as UserRow | undefined;
    return row && userOf(row);
  }

  list(list: UserList): UserPage {
    const rows = this.#select(list, listSql) as (ListedRow & { readonly total: number })[];
    const [first] = rows;
    if (first !== undefined) return { users: rows.map(listedUserOf), total: first.total };
    const [counted] = this.#select(list, countSql) as { readonly total: number }[];
    return { users: [], total: counted?.total ?? 0 };
  }

  insert(user: NewUser): User | undefined {
    const { changes, lastInsertRowid } = this.#insert.run(...valuesOf(user));
    return Number(changes) === 0 ? undefined : { ...user, id: Number(lastInsertRowid) };
  }

  insertMany(users: readonly NewUser[]): (User | undefined)[] {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const inserted = users.map((user) => this.insert(user));
      this.#database.exec("COMMIT");
      return inserted;
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  update(user: User, ifVersion: string): Update {
    try {
      return Number(this.#update.run(...valuesOf(user), user.id, ifVersion).changes) === 0 ? "stale" : "written";
    } catch (error) {
      if (error instanceof Error && error.message.includes("UNIQUE constraint failed")) return "taken";
      throw error;
    }
  }

  seed(users: readonly NewUser[]): void {
    this.insertMany(users);
  }

  close(): void {
    this.#database.close();
  }

  #select(list: UserList, write: typeof listSql): unknown[] {
    const values: SqliteValue[] = [];
    const bind = (value: string | number | Date) => {
      values.push(value instanceof Date ? value.getTime() : value);
      return "?";
    };
    const sql = write(list, { columns: listedColumns, bind });
    const statement = this.#lists.get(sql) ?? this.#database.prepare(sql);
    this.#lists.set(sql, statement);
    return statement.all(...values);
  }
}

/** What a row is written with. */
export function valuesOf(user: NewUser): SqliteValue[] {
  const { status, createdAt, updatedAt, name, email, preferences, tags, address, bio, passwordHash, version } = user;
  return [
    status,
    createdAt.getTime(),
    updatedAt.getTime(),
    name,
    email,
    foldEmail(email),
    JSON.stringify(preferences),
    JSON.stringify(tags),
    address === undefined ? null : JSON.stringify(address),
    bio ?? null,
    passwordHash ?? null,
    version,
  ];
}
