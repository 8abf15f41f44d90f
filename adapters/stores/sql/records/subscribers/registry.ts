import { randomUUID } from "node:crypto";
import { yieldToEventLoop } from "../../../../../src/ground/http/yieldToEventLoop.js";
import type { ActiveSubscribers, KnownSubscriber, RegisteredSubscriber } from "../../../../../src/ground/storage/queue/subscribers.js";
import type { Dialect } from "../../engine/dialect.js";
import type { SqlRow, SqlStatement } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import * as statements from "./registryStatements.js";
import { toSubscriber } from "./taskRow.js";

/** Tasks that one statement cancels, so that SQLite does not hold the event loop. */
const canceledAtOnce = 500;

/**
 * Adds subscribers or replaces their patterns. The list gets a new generation only if it changes.
 *
 * @param lifeMs of ephemeral ones
 * @returns the names that were not active before
 */
export async function registerSubscribers(session: Session, given: readonly RegisteredSubscriber[], lifeMs?: number): Promise<readonly string[]> {
  if (given.length === 0) return [];
  return joined(session, async (inner) => {
    const dialect = inner.dialect;
    const before = new Map(
      (await rowsOf(inner, statements.lockSubscribers(dialect, namesOf(given)))).map((row) => [String(row["name"]), toSubscriber(row)]),
    );
    await run(inner, statements.upsertSubscribers(dialect, given, lifeMs));
    const isKnown = ({ name, patterns }: RegisteredSubscriber) => {
      const known = before.get(name);
      return known !== undefined && known.retiredAt === undefined && JSON.stringify(known.patterns) === JSON.stringify(patterns);
    };
    if (!given.every(isKnown)) await run(inner, statements.renewGeneration(dialect, randomUUID()));
    const wasActive = (name: string) => before.has(name) && before.get(name)?.retiredAt === undefined;
    return namesOf(given).filter((name) => !wasActive(name));
  });
}

/** Notes that a process has these subscribers now. */
export async function touchSubscribers(session: Session, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await joined(session, async (inner) => {
    const dialect = inner.dialect;
    const before = await rowsOf(inner, statements.lockSubscribers(dialect, names));
    await run(inner, statements.touchSubscribers(dialect, names));
    if (before.some(({ retired }) => retired !== null)) await run(inner, statements.renewGeneration(dialect, randomUUID()));
  });
}

/** Retires subscribers that no process has had for so long, and ephemeral ones whose time is over, and cancels their tasks in steps. @returns the names of those that are not ephemeral */
export async function retireSubscribers(session: Session, unusedMs: number): Promise<readonly string[]> {
  const retired = await retire(session, (dialect) => statements.retireUnused(dialect, unusedMs));
  return retired
    .filter(({ until }) => until === null)
    .map(({ name }) => String(name))
    .sort();
}

/** Retires those of the subscribers that are ephemeral, and cancels their tasks in steps. */
export async function unregisterEphemeral(session: Session, names: readonly string[]): Promise<void> {
  if (names.length > 0) await retire(session, (dialect) => statements.retireEphemeral(dialect, names));
}

/** @param statement returns the subscribers that it retires */
async function retire(session: Session, statement: (dialect: Dialect) => SqlStatement): Promise<readonly SqlRow[]> {
  const retired = await joined(session, async (inner) => {
    const rows = await rowsOf(inner, statement(inner.dialect));
    if (rows.length > 0) await run(inner, statements.renewGeneration(inner.dialect, randomUUID()));
    return rows;
  });
  if (retired.length > 0) while ((await cancelRetired(session, canceledAtOnce)) === canceledAtOnce) await yieldToEventLoop();
  return retired;
}

/** Cancels open tasks of retired subscribers, unless a process still holds them; at most `max`. @returns how many */
export async function cancelRetired(session: Session, max: number): Promise<number> {
  const { affected } = await run(session, statements.cancelRetired(session.dialect, max));
  return affected;
}

/** The active subscribers, unless nothing changed since the known generation. */
export async function activeSubscribers(session: Session, known: string | undefined): Promise<ActiveSubscribers | undefined> {
  // Read before the list: a list that is newer than its generation is only read again; an older one would stay cached.
  const [row] = await rowsOf(session, statements.selectGeneration(session.dialect));
  const generation = String(row?.["value"] ?? "");
  if (generation === known) return undefined;
  const active = (await allSubscribers(session)).filter(({ retiredAt }) => retiredAt === undefined);
  return { generation, subscribers: active.map(({ name, patterns }) => ({ name, patterns })) };
}

/** All subscribers, by name. */
export async function allSubscribers(session: Session): Promise<readonly KnownSubscriber[]> {
  return (await rowsOf(session, statements.selectSubscribers(session.dialect))).map(toSubscriber);
}

async function rowsOf(session: Session, statement: SqlStatement): Promise<readonly SqlRow[]> {
  return (await run(session, statement)).rows;
}

function namesOf(subscribers: readonly RegisteredSubscriber[]): readonly string[] {
  return subscribers.map(({ name }) => name);
}
