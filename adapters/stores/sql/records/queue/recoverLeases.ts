import { Bindings } from "../../engine/bindings.js";
import { run, type Session } from "../../engine/session.js";
import type { LeasedRows } from "./leases.js";

/** For so long leases are read at each call after a process has vanished, in milliseconds: it is judged only when it is certainly dead. */
const watchMs = 20_000;
/** At the latest after this leases are read, in milliseconds: for a process that came and went between two looks. */
const everyMs = 45_000;

/**
 * Makes a function that ends the leases of processes that are certainly dead, so that the next claim takes them like expired ones. It is called every few seconds: where the engine tells that a
 * process has vanished, leases are read only then, at the first calls and every 45 s.
 *
 * @returns how many leases it ended
 */
export function leaseRecovery(session: Session, leased: LeasedRows): () => Promise<number> {
  const { presence } = session.executor;
  let known: number | undefined;
  let watchedUntilMs: number | undefined;
  let nextMs = 0;
  return async () => {
    if (presence === undefined) return 0;
    const vanished = await presence.vanished?.();
    const nowMs = performance.now();
    if (watchedUntilMs === undefined || vanished !== known) watchedUntilMs = nowMs + watchMs;
    known = vanished;
    if (vanished !== undefined && nowMs >= watchedUntilMs && nowMs < nextMs) return 0;
    nextMs = nowMs + everyMs;
    return recoverLeases(session, leased, presence);
  };
}

type Presence = NonNullable<Session["executor"]["presence"]>;

async function recoverLeases(session: Session, { table, held }: LeasedRows, presence: Presence): Promise<number> {
  const { dialect } = session;
  const own = dialect.place.own[table];
  const holders = `select distinct "holder" from ${own} where ${held} and "holder" is not null and "due" > ${dialect.now}`;
  const { rows } = await run(session, { text: holders, values: [], writes: false, returns: "many" });
  const dead = await presence.dead(rows.map(({ holder }) => Number(holder)));
  if (dead.length === 0) return 0;
  const bindings = new Bindings(dialect);
  const theirs = `"holder" in (${dialect.list("int", bindings.bind(JSON.stringify(dead)))})`;
  const text = `update ${own} set "due" = ${dialect.now} where ${held} and ${theirs} and "due" > ${dialect.now}`;
  return (await run(session, { text, values: bindings.values, writes: true, returns: "none" })).affected;
}
