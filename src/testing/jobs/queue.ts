import type { JobEnd, JobStore } from "../../ground/storage/queue/jobs.js";
import type { LeasedQueue } from "../queue/queue.js";
import { queueScenarios } from "../queue/scenarios.js";
import type { JobStage } from "./stage.js";

const ends: readonly JobEnd[] = [
  { status: "completed", result: "done" },
  { status: "failed", error: { code: "X", detail: "x" } },
];
const entries = [{ position: 1, value: "one" }] as const;
const advance = { processed: 99, total: 99, counts: { done: 1 }, cursor: "99", entries: [{ position: 99, value: "99" }] } as const;

/** The jobs of a new type. */
function jobQueue(stage: JobStage): LeasedQueue {
  const type = stage.name();
  let ended = 0;
  const over = (store: JobStore): LeasedQueue => ({
    advance: stage.advance,
    async add(count = 1, tenant = "one") {
      const jobs = Array.from({ length: count }, () => stage.job({ type, tenant: `${type} ${tenant}`, entries }));
      for (const job of jobs) await store.create(job);
      return jobs.map(({ id }) => id);
    },
    claim: async (change) =>
      (await stage.claim(type, change, store)).map(({ lease, attempts, input, cursor }) => ({ lease, attempts, input: { input, cursor } })),
    end: (lease) => store.finish(lease, ends[ended++ % ends.length] ?? { status: "completed" }),
    fail: (lease, delayMs) => store.release(lease, { delayMs, failed: true }),
    release: (lease, delayMs) => store.release(lease, { delayMs, failed: false }),
    writes: {
      advance: (lease) => store.advance(lease, advance),
      extend: async (lease) => (await store.extend(lease, 60_000)) !== "lost",
      release: (lease) => store.release(lease, { delayMs: 0, failed: false }),
      "release of a failed attempt": (lease) => store.release(lease, { delayMs: 0, failed: true }),
      ...Object.fromEntries(ends.map((end) => [`finish as ${end.status}`, (lease) => store.finish(lease, end)])),
    },
    unclaim: async (claimId) => store.unclaim?.(claimId),
    sweep: (keepMs, max) => store.sweep(keepMs, max),
    async find(id) {
      const [state, kept] = [await store.get(id), await store.entries(id, 0, 100)];
      return state === undefined && kept.length === 0 ? undefined : { state, kept };
    },
    transaction: (run) => stage.transaction((inner) => run(over(inner))),
  });
  return over(stage.store);
}

/** What jobs have in common with other queues. */
export const jobQueueScenarios = queueScenarios(async (stage: JobStage, sweeps) => jobQueue(sweeps ? await stage.another() : stage));
