import type { Logger } from "../../engine/operation/logging/logger.js";
import type { Random } from "../../engine/operation/random.js";
import type { WorkEnd } from "../../engine/operation/work/observer.js";
import { storeEnd } from "../../engine/operation/work/storeEnd.js";
import type { Clock } from "../../ground/clock/clock.js";
import { backgroundTimer, type Timer, type Timers } from "../../ground/http/timers.js";
import { ProblemError } from "../../ground/problem/index.js";
import type { ClaimedTask, SubscriberStore, TaskOutcome } from "../../ground/storage/queue/subscribers.js";
import type { StoringOptions } from "../../ground/storage/storedLater.js";
import { nextAttempt } from "../events/backoff.js";
import type { HandledEvent } from "./api.js";
import { handledEvent } from "./handledEvent.js";
import type { DeadEnd } from "./options.js";
import type { Subscriber } from "./subscriber.js";

/** Dependencies of an attempt. */
export interface AttemptParts {
  readonly store: Pick<SubscriberStore, "record" | "release">;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Whether the service closes: calls of the service are refused then. */
  isClosing(): boolean;
  /** Makes the service wait for a callback at its end. */
  alsoAwait(work: Promise<void>): void;
}

/** How many attempts may end with their process, in addition to the schedule. After more, the event itself is assumed to crash the process. */
const maxFreeInterruptions = 8;
/** How long a handler may still end well after its signal aborted, because the service closes, in milliseconds. */
const lastMs = 500;
const minLeftMs = 5_000;
const maxLeftMs = 24 * 3_600_000;
const errorCharacters = 1_000;

/** How the handler ended; `aborted`: it did not, and the service closes. */
type Ended = { readonly how: "succeeded" } | { readonly how: "aborted" } | { readonly how: "failed"; readonly error: unknown };

/**
 * Makes one attempt and records its result. Never rejects: after an error of the storage the lease ends by itself, and the event is handled again.
 *
 * @param stop aborts the signal of the handler, because the service closes
 */
export async function attempt(task: ClaimedTask, subscriber: Subscriber, stop: AbortController, parts: AttemptParts): Promise<WorkEnd> {
  const { store, logger } = parts;
  const { lease, event } = task;
  const storing = storingOf(parts);
  const facts = { subscriber: subscriber.name, task: lease.id, event: event.id, attempt: task.attempt };
  try {
    if (!subscriber.matches(event.type)) return await leaveToOthers(task, subscriber, parts);
    const ended = await endOf(task, subscriber, stop, parts);
    if (ended.how === "aborted") {
      return { outcome: (await storeEnd(() => store.release(lease, 0), storing)) ? "released" : "lost" };
    }
    const outcome = outcomeOf(ended, task, subscriber, parts);
    if (!(await storeEnd(() => store.record(lease, outcome), storing))) return { outcome: "lost" };
    if (ended.how === "succeeded") return { outcome: "succeeded" };
    const { error } = ended;
    if (outcome.state === "pending") {
      logger.warn({ err: error, ...facts, delayMs: outcome.delayMs }, "A subscriber failed; it will be called again.");
      return { outcome: "retried", error };
    }
    logger.error({ err: error, ...facts }, "A subscriber failed for the last time; the event is given up. Replay it when the cause is removed.");
    parts.alsoAwait(tellDead(subscriber, task, { error, attempts: task.attempt }, logger));
    return { outcome: "dead", error };
  } catch (error) {
    logger.error({ err: error, ...facts }, "Recording how a subscriber ended failed; it will be called again.");
    return { outcome: "unrecorded", error };
  }
}

/**
 * The types of a name may differ between releases, and both run during a deploy. An event of a type that this one does not handle is left to the other, more rarely as it gets older;
 * after a day nothing has come for it.
 */
async function leaveToOthers({ lease, event }: ClaimedTask, { name }: Subscriber, parts: AttemptParts): Promise<WorkEnd> {
  const { store, clock, logger } = parts;
  const storing = storingOf(parts);
  const ageMs = clock.now() - event.createdAt.getTime();
  if (ageMs < maxLeftMs) {
    const isHeld = await storeEnd(() => store.release(lease, Math.max(minLeftMs, ageMs / 2)), storing);
    return { outcome: isHeld ? "released" : "lost" };
  }
  const error = `The subscriber "${name}" no longer handles events of the type "${event.type}".`;
  if (!(await storeEnd(() => store.record(lease, { state: "dead", error }), storing))) return { outcome: "lost" };
  logger.warn(
    { subscriber: name, task: lease.id, event: event.id, type: event.type },
    "An event is given up, because no process handles its type under this name.",
  );
  return { outcome: "dead" };
}

/** How an end is stored: a store that is away is waited for, unless the service closes. */
function storingOf({ timers, random, isClosing }: AttemptParts): StoringOptions {
  return { timers, random, isOver: isClosing };
}

function outcomeOf(
  ended: Exclude<Ended, { readonly how: "aborted" }>,
  task: ClaimedTask,
  { scheduleMs }: Subscriber,
  parts: AttemptParts,
): TaskOutcome {
  if (ended.how === "succeeded") return { state: "succeeded" };
  const endedAt = parts.clock.now();
  const dueAt = nextAttempt({ attempt: scheduledAttempt(task), endedAt, scheduleMs, random: parts.random });
  const error = textOf(ended.error);
  return dueAt === undefined ? { state: "dead", error } : { state: "pending", delayMs: dueAt - endedAt, error };
}

/** The number of an attempt in the schedule. */
function scheduledAttempt({ attempt: number, interrupted }: ClaimedTask): number {
  return number - Math.min(interrupted, maxFreeInterruptions);
}

function textOf(error: unknown): string {
  let text: string;
  try {
    text = String(error);
  } catch {
    text = "An error that cannot be shown as text.";
  }
  return text.slice(0, errorCharacters).toWellFormed();
}

async function endOf(task: ClaimedTask, subscriber: Subscriber, stop: AbortController, parts: AttemptParts): Promise<Ended> {
  if (scheduledAttempt(task) > subscriber.scheduleMs.length) {
    const error = new Error(`The process of the handler ended ${task.interrupted} times during an attempt.`);
    return { how: "failed", error };
  }
  if (stop.signal.aborted) return { how: "aborted" };
  const timers: Timer[] = [];
  const later = (run: () => void, ms: number) => void timers.push(backgroundTimer(parts.timers, run, ms));
  try {
    return await new Promise<Ended>((resolve) => {
      const timedOut = new Error(`The handler did not end within ${subscriber.timeoutMs} ms.`);
      later(() => {
        resolve({ how: "failed", error: timedOut });
        stop.abort(timedOut);
      }, subscriber.timeoutMs);
      const onAbort = () => later(() => resolve({ how: "aborted" }), lastMs);
      stop.signal.addEventListener("abort", onAbort, { once: true });
      void callHandler(task, subscriber, stop.signal).then((ended) => {
        const isCutOff = ended.how === "failed" && (stop.signal.aborted || (parts.isClosing() && isShuttingDown(ended.error)));
        resolve(isCutOff ? { how: "aborted" } : ended);
      });
    });
  } finally {
    for (const timer of timers) timer.cancel();
  }
}

async function callHandler(task: ClaimedTask, { handler }: Subscriber, signal: AbortSignal): Promise<Ended> {
  try {
    await handler(handledEvent(task.event), { attempt: task.attempt, signal });
    return { how: "succeeded" };
  } catch (error) {
    return { how: "failed", error };
  }
}

/** What a call of the service answers while it closes. */
function isShuttingDown(error: unknown): boolean {
  return error instanceof ProblemError && error.code === "SHUTTING_DOWN";
}

async function tellDead({ name, onDead }: Subscriber, { event }: ClaimedTask, end: DeadEnd, logger: Logger): Promise<void> {
  if (onDead === undefined) return;
  try {
    const told: HandledEvent = handledEvent(event);
    await onDead(told, end);
  } catch (error) {
    logger.error({ err: error, subscriber: name, event: event.id }, "onDead of a subscriber threw.");
  }
}
