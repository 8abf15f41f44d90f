import { quoteIdentifier } from "./identifier.js";
import { run, type Session } from "./session.js";
import { decodeColumns, type Table } from "./table.js";

const pageRows = 500;

/** Fills shadow columns that were added to a table that has rows already. */
export async function backfillShadows(session: Session, table: Table, names: readonly string[]): Promise<void> {
  const shadows = table.shadows.filter(({ name }) => names.includes(name));
  if (shadows.length === 0) return;
  const sources = [...new Set(shadows.map(({ path }) => path[0]))].flatMap((name) => table.columns.get(name) ?? []);
  const { id, quoted, dialect, bigints } = table;
  const place = [dialect.placeholder(1), dialect.placeholder(2)] as const;
  const order = `"_tenant", ${id.quoted}`;
  const selected = [id, ...sources].map((column) => column.quoted).join(", ");
  const assignments = shadows.map(({ name }, index) => `${quoteIdentifier(name)} = ${dialect.placeholder(index + 1)}`).join(", ");
  const key = `"_tenant" = ${dialect.placeholder(shadows.length + 1)} and ${id.quoted} = ${dialect.placeholder(shadows.length + 2)}`;
  for (let after: readonly unknown[] = []; ; ) {
    const where = after.length === 0 ? "" : ` where (${order}) > (${place.join(", ")})`;
    const text = `select "_tenant", ${selected} from ${quoted}${where} order by ${order} limit ${pageRows}`;
    const { rows } = await run(session, { text, values: after, writes: true, returns: "many", bigints });
    for (const stored of rows) {
      const values = decodeColumns([id, ...sources], stored);
      after = [stored["_tenant"], id.encode(values[id.name])];
      const update = `update ${quoted} set ${assignments} where ${key}`;
      await run(session, { text: update, values: [...shadows.map(({ derive }) => derive(values)), ...after], writes: true, returns: "none" });
    }
    if (rows.length < pageRows) return;
  }
}
