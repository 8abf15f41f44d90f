import type { TaskState } from "../../../../src/ground/storage/queue/subscribers.js";
import { SortedBlocks } from "../rows/sortedBlocks.js";
import { CommittedQueues, OverlayQueues, type QueuedRecords } from "./queuedRecords.js";
import type { Clock } from "./records.js";
import { type TaskRecord, taskPlace } from "./taskRecord.js";

/** A part of the log: the tasks of a subscriber in one state. */
export interface LogPart {
  readonly name: string;
  readonly state: TaskState;
}

/** Tasks by id, open ones by queue, all by subscriber and state, and those that ended by when they did. Stop iterating before you change a task. */
export interface TaskRecords extends QueuedRecords<TaskRecord> {
  /** The number of tasks of a part of the log. */
  count(part: LogPart): number;
  /** The tasks of a part of the log before a number, newest first. */
  newest(part: LogPart, before: number): Iterable<TaskRecord>;
  /** Tasks that ended before an instant, oldest first. */
  ended(beforeMs: number): Iterable<TaskRecord>;
}

const byNumber = (left: TaskRecord, right: TaskRecord) => left.number - right.number;
const newestFirst = (left: TaskRecord, right: TaskRecord) => right.number - left.number;
const byEnd = (left: TaskRecord, right: TaskRecord) => (left.endedMs ?? 0) - (right.endedMs ?? 0) || byNumber(left, right);

const isPart = (part: LogPart, { name, state }: TaskRecord) => name === part.name && state === part.state;
const hasEnded = ({ endedMs }: TaskRecord, beforeMs: number) => endedMs !== undefined && endedMs < beforeMs;

/** The committed tasks. */
export class CommittedTasks extends CommittedQueues<TaskRecord> implements TaskRecords {
  /** By subscriber and state. */
  readonly #log = new Map<string, Map<TaskState, SortedBlocks<TaskRecord>>>();
  readonly #ended = new SortedBlocks(byEnd);

  constructor(clock: Clock) {
    super(clock, taskPlace);
  }

  override put(id: string, record: TaskRecord): void {
    this.#remove(id);
    super.put(id, record);
    const states = this.#log.get(record.name) ?? new Map<TaskState, SortedBlocks<TaskRecord>>();
    this.#log.set(record.name, states);
    const part = states.get(record.state) ?? new SortedBlocks(byNumber);
    states.set(record.state, part);
    part.add(record);
    if (record.endedMs !== undefined) this.#ended.add(record);
  }

  override delete(id: string): void {
    this.#remove(id);
    super.delete(id);
  }

  count(part: LogPart): number {
    return this.#partOf(part)?.count(nothing, everything) ?? 0;
  }

  newest(part: LogPart, before: number): Iterable<TaskRecord> {
    return this.#partOf(part)?.between(nothing, ({ number }) => number < before, { isReversed: true, skip: 0, read }) ?? [];
  }

  ended(beforeMs: number): Iterable<TaskRecord> {
    return this.#ended.between(nothing, (record) => hasEnded(record, beforeMs), { isReversed: false, skip: 0, read });
  }

  #partOf({ name, state }: LogPart): SortedBlocks<TaskRecord> | undefined {
    return this.#log.get(name)?.get(state);
  }

  #remove(id: string): void {
    const record = this.get(id);
    if (record === undefined) return;
    this.#partOf(record)?.delete(record);
    if (record.endedMs !== undefined) this.#ended.delete(record);
  }
}

/** The changes of one transaction to tasks, on top of the layer below. */
export class OverlayTasks extends OverlayQueues<TaskRecord> implements TaskRecords {
  declare protected readonly below: TaskRecords;

  constructor(below: TaskRecords) {
    super(below, taskPlace);
  }

  count(part: LogPart): number {
    let count = this.below.count(part);
    for (const [id, record] of this.changes) {
      const below = this.below.get(id);
      if (below !== undefined && isPart(part, below)) count -= 1;
      if (record !== undefined && isPart(part, record)) count += 1;
    }
    return count;
  }

  newest(part: LogPart, before: number): Iterable<TaskRecord> {
    return this.over(this.below.newest(part, before), (record) => isPart(part, record) && record.number < before, newestFirst);
  }

  ended(beforeMs: number): Iterable<TaskRecord> {
    return this.over(this.below.ended(beforeMs), (record) => hasEnded(record, beforeMs), byEnd);
  }
}

const nothing = () => false;
const everything = () => true;
const read = (record: TaskRecord) => record;
