import { isUniqueViolation } from "../engine/errors.js";
import type { SqlStatement } from "../engine/executor.js";
import { run, type Session, transact } from "../engine/session.js";
import { columnList } from "../query/select.js";
import type { OwnTable } from "./table.js";

/** Rows of one transaction. */
const pageRows = 500;

/**
 * Fills shadow columns that other programs have added: `npx restwright sql` prints the columns, but their values come from functions of ours. Reads each table once for each
 * set of shadow columns, which is kept in the table of the store.
 *
 * @throws {Error} if rows that exist violate a unique key
 */
export async function fillShadows(session: Session, table: OwnTable): Promise<void> {
  const { dialect, name, shadows } = table;
  if (shadows.length === 0) return;
  const { place, placeholder } = dialect;
  const key = `shadows:${name}`;
  const names = JSON.stringify(shadows.map((shadow) => shadow.name).toSorted());
  const [known] = (await query(session, `select "value" from ${place.own.values} where "key" = ${placeholder(1)}`, [key])).rows;
  if (known?.["value"] === names) return;
  try {
    for (let after: readonly unknown[] | undefined = []; after !== undefined; ) {
      const from: readonly unknown[] = after;
      after = await transact(session, (inner) => fillPage(inner, table, from), { waitsForLocks: true });
    }
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Error(`The table "${name}" has rows with the same value of a key that the collection declares unique. Remove the duplicates first.`, {
      cause: error,
    });
  }
  const text = `insert into ${place.own.values} ("key", "value") values (${placeholder(1)}, ${placeholder(2)}) on conflict ("key") do update set "value" = excluded."value"`;
  await query(session, text, [key, names], true);
}

/** @returns the place of the last row; `undefined` after the last page */
async function fillPage(session: Session, table: OwnTable, after: readonly unknown[]): Promise<readonly unknown[] | undefined> {
  const { dialect, id, quoted, shadows, bigints } = table;
  const marks = (from: number, columns: readonly string[]) => columns.map((column, index) => `${column} = ${dialect.placeholder(from + index)}`);
  const order = `"_tenant", ${id.quoted}`;
  const lacking = shadows.map((shadow) => `(${shadow.quoted} is null and ${table.columns.get(shadow.path[0])?.stored ?? "null"} is not null)`);
  const later = after.length === 0 ? "" : ` and (${order}) > (${dialect.placeholder(1)}, ${dialect.placeholder(2)})`;
  const text = `select "_tenant", ${columnList(table)} from ${quoted} where (${lacking.join(" or ")})${later} order by ${order} limit ${pageRows}`;
  const { rows } = await run(session, { text, values: after, writes: true, returns: "many", bigints });
  const assignments = marks(
    1,
    shadows.map((shadow) => shadow.quoted),
  );
  const conditions = marks(shadows.length + 1, [`"_tenant"`, id.quoted, `"_version"`]);
  let last: readonly unknown[] | undefined;
  for (const stored of rows) {
    const row = table.decodeRow(stored);
    last = [stored["_tenant"], id.encode(row[id.name])];
    const texts = shadows.map(({ derive }) => derive(row));
    // JSON may have no text at a path.
    if (texts.every((text) => text === null)) continue;
    const values = [...texts, ...last, row._version];
    await query(session, `update ${quoted} set ${assignments.join(", ")} where ${conditions.join(" and ")}`, values, true);
  }
  return rows.length < pageRows ? undefined : last;
}

function query(session: Session, text: string, values: readonly unknown[], writes = false): ReturnType<typeof run> {
  const statement: SqlStatement = { text, values, writes, returns: writes ? "none" : "many" };
  return run(session, statement);
}
