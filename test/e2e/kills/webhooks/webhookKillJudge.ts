import { neverPrefix } from "./webhookKillClient.js";
import type { ReceivedEvent } from "./webhookKillReceiver.js";

/** A row in the end. */
export interface Thing {
  readonly id: number;
  readonly name: string;
  readonly revision: number;
}

/**
 * What is wrong with what has come, one line each: each row's creation and each of its changes must have come to each webhook that asks for it, under
 * one id, and nothing else.
 *
 * @param acknowledged names with the highest revision that a client knows of
 */
export function judgeEvents(
  things: readonly Thing[],
  acknowledged: ReadonlyMap<string, number>,
  received: ReadonlyMap<string, ReadonlyMap<string, ReceivedEvent>>,
): readonly string[] {
  const rows = new Map(things.map((thing) => [thing.name, thing]));
  const faults: string[] = [];
  for (const [name, revision] of acknowledged) {
    const row = rows.get(name);
    if (row === undefined || row.revision < revision) faults.push(`${name} was acknowledged with revision ${revision}, and is ${row?.revision}`);
  }
  for (const [path, events] of received) faults.push(...judgeWebhook(path, rows, [...events.values()]));
  return faults;
}

function judgeWebhook(path: string, rows: ReadonlyMap<string, Thing>, events: readonly ReceivedEvent[]): readonly string[] {
  const faults: string[] = [];
  const told = new Map<string, string>();
  for (const { id, type, data } of events) {
    const row = rows.get(data.name);
    const what = `${data.name} ${data.revision}`;
    if (row === undefined || data.name.startsWith(neverPrefix)) faults.push(`${path}: ${id} tells of ${data.name}, which was never committed`);
    else if (row.id !== data.id || data.revision > row.revision) faults.push(`${path}: ${id} tells of ${what}, and the row has ${row.revision}`);
    if ((type === "thing.created") !== (data.revision === 0)) faults.push(`${path}: ${id} is ${type} of revision ${data.revision}`);
    const other = told.get(what);
    if (other !== undefined) faults.push(`${path}: ${what} was told as ${other} and as ${id}`);
    told.set(what, id);
  }
  for (const { name, revision: last } of rows.values()) {
    for (let revision = 0; revision <= (path === "/all" ? last : 0); revision++) {
      if (!told.has(`${name} ${revision}`)) faults.push(`${path}: ${name} ${revision} was never told`);
    }
  }
  return faults;
}
