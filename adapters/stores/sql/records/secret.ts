import { randomBytes } from "node:crypto";
import type { Dialect } from "../engine/dialect.js";
import { run, type Session } from "../engine/session.js";

const secretBytes = 32;

/** The statement that creates the store's own table of named text values. */
export function createOwnTable({ columnType, place }: Dialect): string {
  return `create table if not exists ${place.own.values} ("key" ${columnType("text")} not null primary key, "value" ${columnType("text")} not null)`;
}

/** The secret of this database, in base64url. The first process creates it; all others read it. */
export async function readSecret(session: Session): Promise<string> {
  const { place, placeholder } = session.dialect;
  const stored = async () => {
    const text = `select "value" from ${place.own.values} where "key" = ${placeholder(1)}`;
    const { rows } = await run(session, { text, values: ["secret"], writes: true, returns: "one" });
    return rows[0]?.["value"];
  };
  let secret = await stored();
  if (secret === undefined) {
    const text = `insert into ${place.own.values} ("key", "value") values (${placeholder(1)}, ${placeholder(2)}) on conflict do nothing`;
    const values = ["secret", randomBytes(secretBytes).toString("base64url")];
    await run(session, { text, values, writes: true, returns: "none" });
    secret = await stored();
  }
  if (typeof secret !== "string")
    throw new Error(`The secret that was written to the table ${place.own.values} cannot be read back. Check its triggers and policies.`);
  return secret;
}

/** More than one page of SQLite, so that the write fails if the disk is full. */
const probeCharacters = 16_384;

/** Writes a row and deletes it. Fails if the disk is full, or the database is read-only or a standby. */
export async function writeProbe(session: Session): Promise<void> {
  const { place, placeholder } = session.dialect;
  const text = `insert into ${place.own.values} ("key", "value") values (${placeholder(1)}, ${placeholder(2)}) on conflict ("key") do update set "value" = excluded."value"`;
  await run(session, { text, values: ["probe", "x".repeat(probeCharacters)], writes: true, returns: "none" });
  await run(session, { text: `delete from ${place.own.values} where "key" = ${placeholder(1)}`, values: ["probe"], writes: true, returns: "none" });
}
