import { Bindings } from "../engine/bindings.js";
import { run, type Session } from "../engine/session.js";

/** Rows under lease: their table, and the condition that selects them. */
export interface LeasedRows {
  readonly table: string;
  readonly held: string;
}

/**
 * Ends the leases of processes that are certainly dead, so that the next claim takes them like expired ones.
 *
 * @returns how many leases it ended
 */
export async function recoverLeases(session: Session, { table, held }: LeasedRows): Promise<number> {
  const { dialect, executor } = session;
  const { presence } = executor;
  if (presence === undefined) return 0;
  const holders = `select distinct "holder" from ${table} where ${held} and "holder" is not null and "due" > ${dialect.now}`;
  const { rows } = await run(session, { text: holders, values: [], writes: false, returns: "many" });
  const dead = await presence.dead(rows.map(({ holder }) => Number(holder)));
  if (dead.length === 0) return 0;
  const bindings = new Bindings(dialect);
  const theirs = `"holder" in (${dialect.list("int", bindings.bind(JSON.stringify(dead)))})`;
  const text = `update ${table} set "due" = ${dialect.now} where ${held} and ${theirs} and "due" > ${dialect.now}`;
  return (await run(session, { text, values: bindings.values, writes: true, returns: "none" })).affected;
}
