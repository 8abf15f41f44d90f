import { setTimeout as sleep } from "node:timers/promises";
import { deadlineIn } from "../runScript.js";
import { KeyedSender, type OutageStage, pauseMs, postBurst, RowsJob, type Try } from "./outageStage.js";

/** How a store is away, and for how long. */
export interface Outage {
  readonly store: "PostgreSQL" | "Redis";
  readonly isHanging: boolean;
  readonly awayMs: number;
}

/** What one outage cost, in milliseconds. */
export interface OutageReport {
  /** From the return of the store to the next step of the job, the last answer of a POST that was under way and the next send to the webhook. */
  readonly stepMs: number;
  readonly answerMs: number;
  readonly sendMs: number;
  /** Until each event from before the outage was sent. */
  readonly allSentMs: number;
  /** Of the first requests that were refused, the slowest one. */
  readonly firstRefusalMs: number;
  /** Of those that were sent after the first refusal, in order. */
  readonly laterRefusalsMs: readonly number[];
  readonly posts: number;
  /** One line for each thing that should not be. */
  readonly faults: readonly string[];
}

const senders = 4;
const items = 40_000;
const burst = 200;
/** So many events have been sent when the store goes away. */
const sentBefore = 20;

/** A store goes away in the middle of a job, of POSTs under keys and of sends to a webhook, and comes back. */
export async function throughOutage(stage: OutageStage, { store, isHanging, awayMs }: Outage): Promise<OutageReport> {
  const { send } = stage;
  const way = store === "PostgreSQL" ? stage.toPostgres : stage.toRedis;
  const job = new RowsJob(send, items);
  const posting = Array.from({ length: senders }, () => new KeyedSender(send));
  const running = Promise.all(posting.map((sender) => sender.run()));
  running.catch(() => {});
  const [texts] = await Promise.all([postBurst(send, burst), job.begin()]);
  const sentOfBurst = () => stage.sent.filter(({ text }) => texts.has(text));
  for (const deadline = deadlineIn(60); sentOfBurst().length < sentBefore; await sleep(pauseMs)) deadline.check("hardly an event was sent");
  await job.untilBeyond(0, deadlineIn(60));
  if ((await job.processed()) === items) throw new Error("The job was over before the store went away.");
  const awayAtMs = performance.now();
  if (isHanging) way.hang();
  else way.cut();
  await Promise.race([sleep(awayMs), running]);
  const processedBefore = store === "PostgreSQL" ? undefined : await job.processed();
  way.mend();
  const backMs = performance.now();
  const since = (atMs: number) => Math.round(atMs - backMs);
  const stepMs = await nextStep(job, processedBefore).then(since);
  const before = posting.flatMap(({ posts }) => posts.filter(({ tries }) => (tries[0]?.sentMs ?? backMs) < backMs));
  for (const deadline = deadlineIn(60); before.some(({ tries }) => tries.at(-1)?.status !== 201); await sleep(pauseMs)) {
    deadline.check("POSTs from before the return have no answer");
    await Promise.race([running, sleep(0)]);
  }
  const count = () => new Set(sentOfBurst().map(({ text }) => text)).size;
  for (const deadline = deadlineIn(120); count() < burst; await sleep(pauseMs)) deadline.check(`${count()} of ${burst} events were sent`);
  for (const sender of posting) sender.isOver = true;
  await running;
  await job.untilBeyond(items - 1, deadlineIn(120));
  const posts = posting.flatMap(({ posts }) => posts);
  const refused = posts.flatMap(({ tries }) =>
    tries.filter(({ sentMs, answeredMs, status }) => status === 503 && answeredMs > awayAtMs && sentMs < backMs),
  );
  const later = sentOfBurst().filter(({ atMs }) => atMs > backMs);
  return {
    stepMs,
    answerMs: since(Math.max(...before.map(({ tries }) => tries.at(-1)?.answeredMs ?? Number.NaN))),
    // While only the keys are away, sends go on.
    sendMs: store === "Redis" ? 0 : since(Math.min(...later.map(({ atMs }) => atMs))),
    allSentMs: since(Math.max(...later.map(({ atMs }) => atMs), backMs)),
    ...durations(refused),
    posts: posts.length,
    faults: [
      ...(await keyFaults(
        stage,
        posts.map(({ key }) => key),
      )),
      ...(await jobFaults(stage, job)),
    ],
  };
}

/** @returns when the job has made a step after the return of its store */
async function nextStep(job: RowsJob, processedBefore: number | undefined): Promise<number> {
  const deadline = deadlineIn(60);
  if (processedBefore === items) return performance.now();
  let first = processedBefore;
  for (; first === undefined; first = await job.processed()) {
    deadline.check("the job cannot be read");
    await sleep(pauseMs);
  }
  if (first < items) await job.untilBeyond(first, deadline);
  return performance.now();
}

function durations(refused: readonly Try[]): Pick<OutageReport, "firstRefusalMs" | "laterRefusalsMs"> {
  const firstMs = Math.min(...refused.map(({ answeredMs }) => answeredMs));
  const took = (tries: readonly Try[]) => tries.map(({ sentMs, answeredMs }) => answeredMs - sentMs).sort((a, b) => a - b);
  const isFirst = ({ sentMs }: Try) => sentMs < firstMs;
  return { firstRefusalMs: took(refused.filter(isFirst)).at(-1) ?? 0, laterRefusalsMs: took(refused.filter((tried) => !isFirst(tried))) };
}

async function keyFaults({ send }: OutageStage, keys: readonly string[]): Promise<readonly string[]> {
  const { json } = await send({ target: "/posts?perPage=50000&count=none&fields=text&sort=-id" });
  const found = new Map<string, number>();
  for (const { text } of json.data as { text: string }[]) found.set(text, (found.get(text) ?? 0) + 1);
  return keys.filter((key) => found.get(key) !== 1).map((key) => `The key ${key} made ${found.get(key) ?? 0} rows.`);
}

async function jobFaults({ send }: OutageStage, { name }: RowsJob): Promise<readonly string[]> {
  const { json } = await send({ target: `/rows?job=${name}&perPage=50000&count=none&fields=item` });
  const found = (json.data as { item: number }[]).map(({ item }) => item);
  const different = new Set(found).size;
  return found.length === items && different === items ? [] : [`The job has made ${found.length} rows of ${different} items of ${items}.`];
}
