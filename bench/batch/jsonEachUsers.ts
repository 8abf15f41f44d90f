import { columns, SqliteUsers, valuesOf } from "../floor/sqlite.js";
import type { SqliteDatabase, SqliteStatement } from "../floor/sqliteDatabase.js";
import { foldEmail, type NewUser, type User } from "../floor/user.js";
import { withIds } from "../floor/withIds.js";

/** The same users in SQLite, but many are inserted by one statement that gets them as JSON. */
export class JsonEachUsers extends SqliteUsers {
  readonly #insertMany: SqliteStatement;

  constructor(database: SqliteDatabase) {
    super(database);
    const values = columns.map((_, index) => `value ->> ${index}`).join(", ");
    this.#insertMany = database.prepare(
      // Without a condition, ON would belong to the SELECT.
      `INSERT INTO users (${columns.join(", ")}) SELECT ${values} FROM json_each(?) WHERE true ON CONFLICT (email_fold) DO NOTHING RETURNING id, email`,
    );
  }

  override insertMany(users: readonly NewUser[]): (User | undefined)[] {
    const rows = this.#insertMany.all(JSON.stringify(users.map(valuesOf))) as { readonly id: number; readonly email: string }[];
    return withIds(users, new Map(rows.map(({ id, email }) => [foldEmail(email), id])));
  }
}
