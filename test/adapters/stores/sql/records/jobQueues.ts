import type { SqlExecutor } from "../../../../../adapters/stores/sql/engine/executor.js";
import type { ClaimRequest, JobStore } from "../../../../../src/ground/storage/queue/jobs.js";
import type { Storage } from "../../../../../src/ground/storage/storage.js";

/** A queue for a worker of the types of {@link claimRequest}. */
export interface JobQueue {
  readonly name: string;
  /** Jobs of the same type and tenant, and how many tenants have so many. */
  readonly waiting: readonly { readonly type: string; readonly tenants: number; readonly each: number; readonly isRetry?: true }[];
}

/** What a worker with room for four asks for. */
export const claimRequest = { types: ["import", "export", "batch"], leaseMs: 60_000, max: 4, maxPerTenant: 2 } as const satisfies ClaimRequest;

/** Queues that made claims slow, each with some jobs that the worker can claim. */
export const jobQueues: readonly JobQueue[] = [
  {
    name: "10,000 of types that the worker lacks",
    waiting: [
      { type: "scan", tenants: 100, each: 100 },
      { type: "import", tenants: 50, each: 4 },
    ],
  },
  { name: "20,000 of 1,000 tenants", waiting: [{ type: "import", tenants: 1_000, each: 20 }] },
  { name: "20,000 of ten tenants", waiting: [{ type: "import", tenants: 10, each: 2_000 }] },
  {
    name: "20,000 retries that are not due",
    waiting: [
      { type: "import", tenants: 1_000, each: 20, isRetry: true },
      { type: "import", tenants: 50, each: 4 },
    ],
  },
];

const hourMs = 3_600_000;

/** Makes the jobs of a queue, the first ones of all tenants first; in a database by copies of one. */
export async function fillQueue(store: JobStore, { waiting }: JobQueue, executor: SqlExecutor | undefined): Promise<void> {
  for (const [part, { type, tenants, each, isRetry }] of waiting.entries()) {
    const job = (index: number) => {
      const tenant = `tenant ${index % tenants}`;
      return { id: `${part} ${index}`, type, tenant, owner: "ada", input: { rows: 3 } };
    };
    const count = tenants * each;
    const made = executor === undefined ? count : 1;
    for (let index = 0; index < made; index++) await store.create(job(index));
    if (isRetry) await postpone(store, type, made);
    if (executor !== undefined)
      await executor.query({ text: copies(executor.dialect, `${part} 0`, part, tenants, count), values: [], writes: true, returns: "none" });
  }
}

/** @throws {Error} where the storage has no jobs */
export function storeOf({ jobs, name }: Storage): JobStore {
  if (jobs === undefined) throw new Error(`${name} has no jobs.`);
  return jobs;
}

/** Has jobs tried once and failed, so that they wait for an hour. */
async function postpone(store: JobStore, type: string, count: number): Promise<void> {
  const claimed = await store.claim({ types: [type], leaseMs: hourMs, max: count, maxPerTenant: count });
  for (const { lease } of claimed) await store.release(lease, { delayMs: hourMs, failed: true });
}

/** Copies of a job for all tenants of a part of a queue. */
function copies(dialect: SqlExecutor["dialect"], id: string, part: number, tenants: number, count: number): string {
  const same = `"type", "owner", "status", "counts", "attempts", "tried", "fence", "held", "due", "cancel", "processed", "created", "changes"`;
  const numbers =
    dialect === "sqlite"
      ? `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count - 1})`
      : `with n(i) as (select generate_series(1, ${count - 1}))`;
  const from = `from "_restwright_jobs", n where "id" = '${id}' order by i`;
  return `insert into "_restwright_jobs" ("id", "tenant", ${same}) ${numbers} select '${part} ' || i, 'tenant ' || (i % ${tenants}), ${same} ${from}`;
}
