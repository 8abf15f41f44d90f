import type { Context } from "../../engine/operation/context.js";
import { asProblem } from "../../engine/operation/faults/asProblem.js";
import { reportFault } from "../../engine/operation/faults/reportFault.js";
import { RenewedPrincipal } from "../../engine/operation/work/renewedPrincipal.js";
import type { HttpResponse } from "../../ground/http/message.js";
import { pause } from "../../ground/http/pause.js";
import { eventStreamHeaders, heartbeatLine, writeEvent, writeRetry } from "../../ground/http/serverSentEvent.js";
import { isRefusal } from "../../ground/problem/index.js";
import type { JobState } from "../../ground/storage/queue/jobs.js";
import { jobBody, pageOf } from "./answer.js";
import { isFinished } from "./document.js";
import { lookForJob } from "./findJob.js";
import type { JobKind } from "./kind.js";

const pollMs = 250;
const heartbeatMs = 15_000;
const retryMs = 1_000;

/**
 * Streams the events of a job: `progress` with its body after each change, at most four times a second, and `end` with its last body, or with `null` if
 * the job was removed or the principal may not see it any more. When the service closes, the stream stops without `end` and the client reconnects.
 *
 * A client that has the last event, and comes again because nothing closed its `EventSource`, is answered with 204, after which it does not come again.
 *
 * @param after position of the entry before the first that each body shows
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#sse-processing-model
 */
export function streamJob(kind: JobKind, context: Context, state: JobState, after: number): HttpResponse {
  if (isFinished(state) && context.headers.get("last-event-id") === state.version) {
    return { status: 204, headers: { "cache-control": "no-store" }, body: null };
  }
  return {
    status: 200,
    headers: eventStreamHeaders(),
    body: eventsOf(kind, context, state, after),
  };
}

/** A generator does not react to `return()` while it awaits, so `return()` aborts the wait. */
function eventsOf(kind: JobKind, context: Context, state: JobState, after: number): AsyncIterableIterator<string> {
  const ending = new AbortController();
  const events = writeEvents(kind, context, state, after, ending);
  return {
    next: () => events.next(),
    return() {
      ending.abort();
      return events.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function* writeEvents(
  kind: JobKind,
  context: Context,
  first: JobState,
  after: number,
  ending: AbortController,
): AsyncGenerator<string, undefined> {
  const { request, environment, requestId } = context;
  const ends = [request.signal, kind.settings.closing];
  const end = () => ending.abort();
  for (const signal of ends) signal.addEventListener("abort", end);
  if (ends.some(({ aborted }) => aborted)) end();
  try {
    yield* follow(kind, context, first, after, ending.signal);
  } catch (error) {
    // The storage may already be closed when the stream was ended.
    if (ending.signal.aborted) return;
    reportFault(environment, asProblem(error), error, request, requestId);
    throw error;
  } finally {
    for (const signal of ends) signal.removeEventListener("abort", end);
  }
}

async function* follow(kind: JobKind, context: Context, first: JobState, after: number, signal: AbortSignal): AsyncGenerator<string> {
  const { clock, timers } = context.environment;
  const principal = new RenewedPrincipal(context.environment, context.principal);
  let reader: Context | undefined = context;
  let state: JobState | undefined = first;
  let known = context.headers.get("last-event-id");
  let wroteMs = clock.now();
  yield writeRetry(retryMs);
  while (reader !== undefined && state !== undefined && !isFinished(state)) {
    if (state.version !== known) {
      known = state.version;
      yield writeEvent({ event: "progress", id: known, data: await bodyOf(kind, reader, state, after) });
      wroteMs = clock.now();
      // Also if the clock was set back: proxies end a stream that is silent.
    } else if (Math.abs(clock.now() - wroteMs) >= heartbeatMs) {
      yield heartbeatLine;
      wroteMs = clock.now();
    }
    await pause(pollMs, timers, signal);
    if (signal.aborted) return;
    reader = await readerNow(context, principal);
    state = reader && (await lookForJob(kind, reader));
  }
  yield reader === undefined || state === undefined
    ? writeEvent({ event: "end", data: "null" })
    : writeEvent({ event: "end", id: state.version, data: await bodyOf(kind, reader, state, after) });
}

/** The context with the rights that the principal has now; `undefined` if it no longer exists. */
async function readerNow(context: Context, renewed: RenewedPrincipal): Promise<Context | undefined> {
  try {
    const principal = await renewed.current();
    return { ...context, principal, scopes: context.environment.scopesOf(principal) };
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

async function bodyOf(kind: JobKind, reader: Context, state: JobState, after: number): Promise<string> {
  return jobBody(kind, reader, state, await pageOf(kind, reader, state, after));
}
