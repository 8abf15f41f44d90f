import { randomBytes } from "node:crypto";
import type { Dialect } from "./dialect.js";
import { ownName, quoteIdentifier } from "./identifier.js";
import { run, type Session } from "./session.js";

const table = quoteIdentifier(ownName);
const secretBytes = 32;

/** Makes the table in which a store keeps what belongs to no collection, as text under names. */
export function createOwnTable({ columnType }: Dialect): string {
  return `create table if not exists ${table} ("key" ${columnType("text")} not null primary key, "value" ${columnType("text")} not null)`;
}

/** The secret of this database, in base64url: of all processes that ask at once the first makes it, and all read it. */
export async function readSecret(session: Session, { placeholder }: Dialect): Promise<string> {
  const stored = async () => {
    const text = `select "value" from ${table} where "key" = ${placeholder(1)}`;
    const { rows } = await run(session, { text, values: ["secret"], writes: true, returns: "one" });
    return rows[0]?.["value"];
  };
  let secret = await stored();
  if (secret === undefined) {
    const text = `insert into ${table} ("key", "value") values (${placeholder(1)}, ${placeholder(2)}) on conflict do nothing`;
    const values = ["secret", randomBytes(secretBytes).toString("base64url")];
    await run(session, { text, values, writes: true, returns: "none" });
    secret = await stored();
  }
  if (typeof secret !== "string") throw new Error(`The table ${table} does not keep what is written to it.`);
  return secret;
}
