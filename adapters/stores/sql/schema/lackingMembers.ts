import type { MigrateOptions } from "../../../../src/ground/storage/storage.js";
import { run, type Session } from "../engine/session.js";
import type { Table } from "./table.js";

/** Rows that are looked at: a start must not read a whole table, and those of an earlier release are the first ones. */
const sampledRows = 200;

/** The most members that one statement asks for. */
const maxMembers = 200;

/** Warns of required members of JSON fields that stored objects lack, as the first rows of a table tell. */
export async function warnOfLackingMembers(session: Session, table: Table, warn: NonNullable<MigrateOptions["warn"]>): Promise<void> {
  const { model, dialect } = table;
  const members = (model.requiredMembers ?? []).slice(0, maxMembers).flatMap((path) => {
    const { column, keys } = table.at(path);
    // A member with a column of its own is compared with the catalogue.
    return column.kind !== "json" || keys.length === 0 ? [] : [{ path, column, keys }];
  });
  if (members.length === 0) return;
  const sources = new Set(members.map(({ column: { stored } }) => stored));
  const read = [...sources].flatMap((name) => (name === undefined ? [] : `${dialect.validJson(name)} as ${name}`));
  const found = members.map(
    ({ column, keys }, index) => `max(case when ${dialect.jsonLacks(column.quoted, keys)} then 1 else 0 end) as "lacks${index}"`,
  );
  const text = `select ${found.join(", ")} from (select ${read.join(", ")} from ${table.quoted} limit ${sampledRows}) as "_first"`;
  const { rows } = await run(session, { text, values: [], writes: false, returns: "one" });
  for (const [index, { path }] of members.entries()) {
    if (Number(rows[0]?.[`lacks${index}`] ?? 0) === 0) continue;
    warn(
      { collection: model.name, field: path.join(".") },
      "A member of a field is required, but stored objects lack it and are shown without it: each PUT and each patch of the field is refused until it sends the member. Give it a default, or make it optional.",
    );
  }
}
