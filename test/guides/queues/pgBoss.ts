import PgBoss from "pg-boss";
import { ulidToUUID } from "ulid";
import type { Ends, Given, Order } from "./given.js";

/** The code of docs/guides/queues.md for pg-boss, which a test compares with the page. */
export async function handToPgBoss({ service, url, workerUrl, name, ship, log }: Given): Promise<Ends> {
  const boss = new PgBoss({ connectionString: url });
  boss.on("error", log);
  await boss.start();
  await boss.createQueue(name);

  service.on("order.created", { name: "to-pg-boss", scheduleMs: [0, 1_000, 5_000, 60_000], attempts: 100 }, async ({ id, data }) => {
    const jobId = ulidToUUID(id.slice("evt_".length));
    const sent = await boss.send(name, { id, ...data }, { id: jobId, retryLimit: 8, retryBackoff: true });
    if (sent === null && (await boss.getJobById(name, jobId, { includeArchive: true })) === null) throw new Error(`pg-boss has no queue "${name}".`);
  });

  const worker = new PgBoss({ connectionString: workerUrl });
  worker.on("error", log);
  await worker.start();
  await worker.work<Order & { id: string }>(name, { pollingIntervalSeconds: 0.5 }, async ([job]) => {
    if (job !== undefined) await ship(job.data.id, job.data);
  });

  return { closeWorker: () => worker.stop({ timeout: 10_000 }), closeSender: () => boss.stop({ timeout: 10_000 }) };
}
