import { setTimeout as sleep } from "node:timers/promises";
import { createService, defineResource } from "restwright";
import { job, jobs } from "restwright/jobs";
import { postgresStorage } from "restwright/postgres";
import { sqliteStorage } from "restwright/sqlite";
import { z } from "zod";

/** What the jobs have done: a row for each tick, and for each step of a job. */
const done = defineResource("done", {
  schema: z.object({ id: z.int(), job: z.string(), step: z.int() }),
  generated: { id: "increment" },
});
const stepsOfJob = 20;

/** What a process is told at its start. */
export interface OwnWork {
  readonly database: string;
  readonly store: string;
  /** Whether it runs jobs and schedules. */
  readonly works: boolean;
}

/** A service whose schedule has a tick each second, and whose jobs go on at their checkpoints. */
export function ownJobsService({ database, store, works }: OwnWork) {
  const handlers = {
    // The checkpoint commits with its row, so that an attempt after a crash adds no second one.
    tick: job({
      input: z.object({ at: z.int() }),
      async run({ input, checkpoint }) {
        if (checkpoint.value === undefined) await checkpoint("done", (tx) => tx.of(done).create({ job: "tick", step: input.at / 1_000 }));
      },
    }),
    steps: job({
      input: z.object({ name: z.string() }),
      async run({ input, checkpoint }) {
        for (let step = Number(checkpoint.value ?? 0) + 1; step <= stepsOfJob; step += 1) {
          await checkpoint(step, (tx) => tx.of(done).create({ job: input.name, step }));
          await sleep(20);
        }
      },
    }),
  };
  const service = createService({
    resources: [done],
    storage: store === "sqlite" ? sqliteStorage({ path: database }) : postgresStorage({ connectionString: database }),
    secrets: ["a secret of the service itself"],
    logger: false,
    use: [
      jobs({
        ...{ handlers, work: works, pollMs: 500, concurrency: 8, maxPerTenant: 8 },
        schedules: [{ name: "each-second", cron: "* * * * * *", job: "tick", input: ({ at }) => ({ at: at.getTime() }) }],
      }),
    ],
  });
  return { service, stepsOfJob, rows: () => service.asSystem().done.walk() };
}

if (process.argv[2] !== undefined && process.send !== undefined) {
  const { service } = ownJobsService(JSON.parse(process.argv[2]) as OwnWork);
  process.on("disconnect", () => process.exit());
  await service.start();
  process.send("started");
}
