import { Queue, Worker } from "bullmq";
import type { Ends, Given, Order } from "./given.js";

/** The code of docs/guides/queues.md for BullMQ, which a test compares with the page. */
export async function handToBullmq({ service, url, name, ship, log }: Given): Promise<Ends> {
  const queue = new Queue<Order>(name, { connection: { url, enableOfflineQueue: false } });
  queue.on("error", log);

  service.on("order.created", { name: "to-bullmq", scheduleMs: [0, 1_000, 5_000, 60_000], attempts: 100 }, async ({ id, type, data }) => {
    await queue.add(type, data, { jobId: id, attempts: 8, backoff: { type: "exponential", delay: 1_000 }, removeOnComplete: { age: 86_400 } });
  });

  const worker = new Worker<Order>(name, (job) => ship(job.id, job.data), { connection: { url, maxRetriesPerRequest: null }, concurrency: 5 });
  worker.on("error", log);

  return { closeWorker: () => worker.close(), closeSender: () => queue.close() };
}
