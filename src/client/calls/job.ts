import { JobFailedError } from "../errors.js";
import type { WriteOptions } from "../options.js";
import { linesOf } from "../transport/stream.js";
import type { Answer, Outgoing, Send } from "../transport/transport.js";
import { NetworkError } from "../transport/transportErrors.js";
import { wait } from "../transport/wait.js";

/** A job as the service shows it. */
export interface JobState<Result = unknown> {
  readonly id: string;
  readonly type: string;
  readonly status: "queued" | "processing" | "completed" | "failed";
  /** From 0 to 1. */
  readonly progress: number;
  readonly processedRows: number | null;
  readonly totalRows: number | null;
  readonly estimatedCompletion: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly attempts: number;
  readonly result: Result | null;
  readonly error: { readonly code: string; readonly detail: string; readonly row?: number } | null;
  readonly links: Readonly<Record<string, string>>;
}

/** Work that continues after its request. Iterating it yields its states until it has ended. */
export interface Job<Result = unknown> extends AsyncIterable<JobState<Result>> {
  readonly id: string;
  /** Waits for the end. @throws {JobFailedError} */
  result(): Promise<Result>;
  /** Asks the service to stop the job. @throws {ConflictError} JOB_FINISHED */
  cancel(): Promise<void>;
}

/** A job that the service can go on with after it has failed or was canceled. */
export interface ResumableJob<Result = unknown> extends Job<Result> {
  /** Goes on after what is done. Iterate the job again for its progress. @throws {ConflictError} NOT_RESUMABLE */
  resume(): Promise<void>;
}

/** A stream whose first event takes longer is held back by a proxy. */
const maxFirstEventMs = 5_000;
/** The service sends a comment after 15 seconds of silence. */
const maxSilenceMs = 45_000;
const reconnectMs = 1_000;
/** Connections in a row that break off before an event. */
const maxBrokenStreams = 3;

/** The fields of a server-sent event: `id`, `event` and `data`. */
type EventFields = Readonly<Record<string, string>>;

/** The events of a stream, which fails if it is silent. @param holdBack is called if the first event does not arrive in time */
async function* eventsOf(answer: Answer, holdBack: () => void): AsyncGenerator<EventFields> {
  const end = () => answer.stream?.controller.abort(new NetworkError("The stream of events is silent."));
  let timer = setTimeout(() => {
    holdBack();
    end();
  }, maxFirstEventMs);
  let event: Record<string, string> = {};
  try {
    for await (const line of linesOf(answer)) {
      clearTimeout(timer);
      timer = setTimeout(end, maxSilenceMs);
      const [, field, value = ""] = /^(\w+): ?(.*)/.exec(line) ?? [];
      if (field === "id" || field === "event" || field === "data") event[field] = value;
      if (line.trim() !== "" || event["data"] === undefined) continue;
      yield event;
      event = {};
    }
  } finally {
    clearTimeout(timer);
  }
}

type Get = (headers: Outgoing["headers"], more: Partial<Outgoing>) => Promise<Answer>;

/** The states of a job until its end, each of them once. It is asked for every second. */
async function* polledStates<State extends JobState>(get: Get, signal: AbortSignal | undefined): AsyncGenerator<State> {
  for (let tag: string | undefined, status = ""; !/^(completed|failed)$/.test(status); ) {
    if (status !== "") await wait(1_000, signal);
    const { value, headers } = await get({ "if-none-match": tag }, { takes: 304 });
    tag = headers.get("etag") ?? tag;
    if (value === undefined) continue;
    ({ status } = value as State);
    yield value as State;
  }
}

/** @param path of the job, such as `/imports/7` */
export function jobOf<Result>(send: Send, operation: string, path: string, { signal, ...given }: WriteOptions): ResumableJob<Result> {
  const options = { ...given, signal, prefer: undefined, idempotencyKey: undefined };
  const get: Get = (headers, more) => send({ operation, method: "GET", path, headers, options, ...more });
  const post = async (action: string) => void (await send({ operation, method: "POST", path: `${path}/${action}`, options }));
  type State = JobState<Result>;
  let isHeldBack = false;

  /** Nothing if the answer is no stream of events, or is held back. */
  async function* events(last: string | undefined): AsyncGenerator<EventFields> {
    const answer = await get({ accept: "text/event-stream", "last-event-id": last }, { streams: true });
    isHeldBack = !answer.headers.get("content-type")?.startsWith("text/event-stream");
    if (isHeldBack) return answer.stream?.controller.abort();
    yield* eventsOf(answer, () => {
      isHeldBack = true;
    });
  }

  async function* states(): AsyncGenerator<State> {
    let last: string | undefined;
    for (let broken = 0; broken < maxBrokenStreams && !isHeldBack; broken += 1) {
      if (broken > 0) await wait(reconnectMs, signal);
      try {
        for await (const { event, id, data = "" } of events(last)) {
          if (data === "null") throw Object.assign(new JobFailedError("The job was removed."), { code: "GONE" });
          broken = 0;
          last = id;
          yield JSON.parse(data);
          if (event === "end") return;
        }
      } catch (error) {
        if (!(error instanceof NetworkError)) throw error;
      }
    }
    yield* polledStates<State>(get, signal);
  }

  return {
    id: path.replace(/.*\//, ""),
    [Symbol.asyncIterator]: states,
    async result() {
      let ended: Partial<State> = {};
      for await (const state of states()) ended = state;
      if (ended.status === "completed") return ended.result as Result;
      const { code, detail = "The job failed.", row } = ended.error ?? {};
      throw Object.assign(new JobFailedError(detail), { code, row, job: ended });
    },
    cancel: () => post("cancel"),
    resume: () => post("resume"),
  };
}
