import { type Isolation, isAtLeast, isolations } from "../../../../../src/ground/storage/isolation.js";
import type { PostgresClient } from "./postgresPool.js";

/** Their names in SQL. */
const names: Readonly<Record<Isolation, string>> = { committed: "read committed", snapshot: "repeatable read", serializable: "serializable" };

/** What the operator has set for the database, the role or the connection. It is the same for the whole life of a connection, and asked for once. */
const defaults = new WeakMap<PostgresClient, Isolation>();

/** The isolation that a transaction gets: what is asked for, or the default of the connection if that is stricter. */
export async function isolationOn(client: PostgresClient, asked: Isolation = "committed"): Promise<Isolation> {
  if (asked === "serializable") return asked;
  const usual = defaults.get(client) ?? (await readDefault(client));
  return isAtLeast(usual, asked) ? usual : asked;
}

export function isolationText(isolation: Isolation): string {
  return `isolation level ${names[isolation]}`;
}

async function readDefault(client: PostgresClient): Promise<Isolation> {
  const { rows } = await client.query({ text: "show default_transaction_isolation" });
  const name = rows[0]?.["default_transaction_isolation"];
  const usual = isolations.find((isolation) => names[isolation] === name) ?? "committed";
  defaults.set(client, usual);
  return usual;
}
