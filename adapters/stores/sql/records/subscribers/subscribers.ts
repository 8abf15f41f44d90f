import { yieldToEventLoop } from "../../../../../src/ground/http/yieldToEventLoop.js";
import { type NewSubscriberEvent, type SubscriberStore, type TaskState, taskStates } from "../../../../../src/ground/storage/queue/subscribers.js";
import type { SqlStatement } from "../../engine/executor.js";
import { joined, run, type Session } from "../../engine/session.js";
import { toDelayMs } from "../columns.js";
import { leasedTasks, unclaim } from "../queue/leases.js";
import { leaseRecovery } from "../queue/recoverLeases.js";
import { insertEvents, selectEvents, taskEvents, toEvent } from "../queue/storedEvents.js";
import * as registry from "./registry.js";
import { claimTasks } from "./taskClaim.js";
import * as log from "./taskLog.js";
import { countPending, selectDueIn } from "./taskQueue.js";
import { toTask } from "./taskRow.js";
import * as statements from "./taskStatements.js";
import { sweepTasks } from "./taskSweep.js";

/** Tasks that one statement counts. */
const countedAtOnce = 50_000;

/** Subscribers and their events in the database of the session, in its transaction if one is open. */
export function sqlSubscribers(session: Session): SubscriberStore {
  const dialect = session.dialect;
  const read = async (statement: SqlStatement) => (await run(session, statement)).rows;
  const affects = async (statement: SqlStatement) => (await run(session, statement)).affected > 0;
  return {
    register: async (subscribers) => void (await registry.registerSubscribers(session, subscribers)),
    registerEphemeral: (subscribers, lifeMs) => registry.registerSubscribers(session, subscribers, lifeMs),
    unregisterEphemeral: (names) => registry.unregisterEphemeral(session, names),
    touch: (names) => registry.touchSubscribers(session, names),
    retire: (unusedMs) => registry.retireSubscribers(session, unusedMs),
    active: (known) => registry.activeSubscribers(session, known),
    subscribers: () => registry.allSubscribers(session),
    enqueue: (events) => enqueue(session, events),
    claim: (request) => claimTasks(session, request),
    unclaim: (name, claimId) =>
      unclaim(session, leasedTasks, claimId, (lease) => affects(statements.releaseTask(dialect, lease, 0)), { group: name }),
    recover: leaseRecovery(session, leasedTasks),
    record: (lease, outcome) => affects(statements.recordOutcome(dialect, lease, outcome)),
    release: (lease, delayMs) => affects(statements.releaseTask(dialect, lease, delayMs)),
    async dueInMs(names) {
      const [row] = await read(selectDueIn(dialect, names));
      return toDelayMs(row?.["dueIn"]);
    },
    depth: async (max) => Number((await read(countPending(dialect, max)))[0]?.["pending"]),
    async get(id) {
      const [row] = await read(log.selectTask(dialect, id));
      return row && toTask(row);
    },
    async event(id) {
      const [row] = await read(selectEvents(dialect, taskEvents, (bindings) => statements.eventOf(id, bindings), false));
      return row && toEvent(row);
    },
    list: async (query) => (await read(log.listTasks(dialect, query))).map(toTask),
    async counts(name) {
      const counts = { pending: 0, running: 0, succeeded: 0, dead: 0, canceled: 0 };
      for (const state of taskStates) counts[state] = await countOf(session, name, state);
      return counts;
    },
    replay: async (ids) => (ids.length === 0 ? 0 : (await run(session, statements.replayTasks(dialect, ids))).affected),
    sweep: (keepMs, max) => joined(session, (inner) => sweepTasks(inner, keepMs, max)),
  };
}

/** Counts in steps, so that SQLite does not hold the event loop. */
async function countOf(session: Session, name: string, state: TaskState): Promise<number> {
  const dialect = session.dialect;
  for (let [count, last] = [0, 0]; ; await yieldToEventLoop()) {
    const [row] = (await run(session, log.countTasks(dialect, name, state, last, countedAtOnce))).rows;
    const tasks = Number(row?.["tasks"]);
    count += tasks;
    if (tasks < countedAtOnce) return count;
    last = Number(row?.["last"]);
  }
}

/** Inserts the tasks first: an event without a task is not stored. */
async function enqueue(session: Session, events: readonly NewSubscriberEvent[]): Promise<number> {
  const wanted = events.filter(({ tasks }) => tasks.length > 0);
  if (wanted.length === 0) return 0;
  const dialect = session.dialect;
  return joined(session, async (inner) => {
    const { rows } = await run(inner, statements.insertTasks(dialect, wanted));
    const made = new Set(rows.map(({ id }) => String(id)));
    const kept = new Map(wanted.filter(({ tasks }) => tasks.some(({ id }) => made.has(id))).map((event) => [event.id, event]));
    if (kept.size > 0) await run(inner, insertEvents(dialect, taskEvents, [...kept.values()]));
    return made.size;
  });
}
