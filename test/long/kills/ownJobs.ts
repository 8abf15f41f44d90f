import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { deadlineIn, runScript } from "../../e2e/runScript.js";
import { randomOf } from "../../fuzz/random.js";
import { postgresUrl } from "../../tools/engines.js";
import { ownSchema } from "../../tools/storage/postgresSchema.js";
import { type OwnWork, ownJobsService } from "./ownJobsProcess.js";

/**
 * Kills three processes with SIGKILL while they run a schedule with a tick each second, and jobs of 20 steps: `npx tsx test/long/kills/ownJobs.ts --seconds 60 --kills 10`, and with `--store postgres`
 * (POSTGRES_URL). Exits with 1 if a tick between the first and the last was not run once, or a step of a job not once and in its turn.
 */
const { values } = parseArgs({
  options: {
    store: { type: "string", default: "sqlite" },
    seconds: { type: "string", default: "60" },
    kills: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
  },
});
if (!["sqlite", "postgres"].includes(values.store)) throw new Error(`--store must be sqlite or postgres; got "${values.store}".`);
if (values.store === "postgres" && postgresUrl === undefined) throw new Error("--store postgres needs POSTGRES_URL.");
const [seconds, kills] = [Number(values.seconds), Number(values.kills)];
const random = randomOf(Number(values.seed));

const folder = mkdtempSync(join(tmpdir(), "restwright-own-jobs-"));
const schema = values.store === "postgres" ? ownSchema() : undefined;
const children: ChildProcess[] = [];

async function begin(work: OwnWork): Promise<ChildProcess> {
  const child = fork(new URL("ownJobsProcess.ts", import.meta.url), [JSON.stringify(work)]);
  children.push(child);
  await once(child, "message");
  return child;
}

/** What is not as it should be with rows of one job: each step once, in the order of the ids. */
function faultsOf(job: string, steps: readonly number[], from: number, to: number): string[] {
  const expected = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const missing = expected.filter((step) => !steps.includes(step));
  const twice = steps.filter((step, index) => steps.indexOf(step) !== index);
  return [...missing.map((step) => `${job}: ${step} is missing`), ...twice.map((step) => `${job}: ${step} was done again`)];
}

async function work(): Promise<boolean> {
  const common = { database: schema === undefined ? join(folder, "jobs.db") : await schema.create(), store: values.store };
  const { service, stepsOfJob, rows } = ownJobsService({ ...common, works: false });
  await service.start();
  const alive = await Promise.all([1, 2, 3].map(() => begin({ ...common, works: true })));
  const names: string[] = [];
  const pauseMs = (1_000 * seconds) / (kills + 1);
  for (let count = 0; count <= kills; count += 1) {
    for (let jobs = 0; jobs < 5; jobs += 1) {
      const name = `job ${names.length}`;
      names.push(name);
      await service.jobs.enqueue("steps", { name });
      await sleep((pauseMs / 5) * (0.5 + random() / 2));
    }
    if (count === kills) break;
    const victim = Math.floor(random() * alive.length);
    alive[victim]?.kill("SIGKILL");
    alive[victim] = await begin({ ...common, works: true });
  }
  const deadline = deadlineIn(120);
  for (;;) {
    const waiting = await unfinished();
    if (waiting === 0) break;
    deadline.check(`${waiting} jobs have not ended`);
    await sleep(500);
  }
  const done = new Map<string, number[]>();
  for await (const { job, step } of rows()) done.set(job, [...(done.get(job) ?? []), step]);
  const ticks = done.get("tick") ?? [];
  const faults = [
    ...faultsOf("tick", ticks, Math.min(...ticks), Math.max(...ticks)),
    ...names.flatMap((name) => faultsOf(name, done.get(name) ?? [], 1, stepsOfJob)),
  ];
  console.log(`${kills} kills in ${seconds} s: ${ticks.length} ticks, ${names.length} jobs of ${stepsOfJob} steps, ${faults.length} faults`);
  for (const fault of faults.slice(0, 50)) console.log(fault);
  await service.close();
  return faults.length === 0 && ticks.length >= seconds / 2;

  /** How many jobs of steps have not done all. */
  async function unfinished(): Promise<number> {
    let last = 0;
    for await (const { job, step } of rows()) if (job !== "tick" && step === stepsOfJob) last += 1;
    return names.length - last;
  }
}

await runScript(work, async () => {
  for (const child of children) child.kill("SIGKILL");
  await schema?.drop();
  rmSync(folder, { recursive: true, force: true });
});
