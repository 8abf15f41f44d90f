import { turnIsOver, yieldToEventLoop } from "../../../../src/ground/http/yieldToEventLoop.js";
import { type Task, type TaskQuery, type TaskState, taskStates } from "../../../../src/ground/storage/queue/subscribers.js";
import type { Layer } from "../layer.js";
import { tenantOf } from "./records.js";
import { type TaskRecord, taskOf } from "./taskRecord.js";

/** The tasks that match, newest first. It yields to the event loop, because a type or a tenant may be rare: a task that changes meanwhile may be missing. */
export async function listTasks(layer: Layer, query: TaskQuery): Promise<readonly Task[]> {
  const { type, limit } = query;
  const tenant = query.tenant === undefined ? undefined : { id: tenantOf(query.tenant) };
  const found: Task[] = [];
  let before = query.after ?? Number.POSITIVE_INFINITY;
  for (let isOver = false; !isOver; ) {
    isOver = true;
    for (const task of newest(layer, query, before)) {
      before = task.number;
      if ((type === undefined || task.type === type) && (tenant === undefined || task.tenant === tenant.id)) found.push(taskOf(task));
      if (found.length >= limit) return found;
      isOver = !turnIsOver();
      if (!isOver) break;
    }
    if (!isOver) await yieldToEventLoop();
  }
  return found;
}

/** The number of tasks of a subscriber in each state. */
export function countTasks({ records: { tasks } }: Layer, name: string): Record<TaskState, number> {
  const countOf = (state: TaskState) => tasks.count({ name, state });
  return {
    ...{ pending: countOf("pending"), running: countOf("running") },
    ...{ succeeded: countOf("succeeded"), dead: countOf("dead"), canceled: countOf("canceled") },
  };
}

/** The tasks of the given subscribers and states before a number, newest first. */
function* newest(layer: Layer, { name, states = taskStates }: TaskQuery, before: number): Generator<TaskRecord, void, void> {
  const names = name === undefined ? [...layer.records.subscribers.entries()].map(([known]) => known) : [name];
  const parts = names.flatMap((one) =>
    [...new Set(states)].map((state) => layer.records.tasks.newest({ name: one, state }, before)[Symbol.iterator]()),
  );
  let heads = parts.flatMap((rest) => headOf(rest));
  while (heads.length > 0) {
    const first = heads.reduce((newer, head) => (head.task.number > newer.task.number ? head : newer));
    yield first.task;
    heads = heads.flatMap((head) => (head === first ? headOf(first.rest) : [head]));
  }
}

/** The first task of the rest of a part of the log. */
interface Head {
  readonly task: TaskRecord;
  readonly rest: Iterator<TaskRecord>;
}

function headOf(rest: Iterator<TaskRecord>): readonly Head[] {
  const next = rest.next();
  return next.done === true ? [] : [{ task: next.value, rest }];
}
