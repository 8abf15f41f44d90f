import { readFileSync } from "node:fs";
import pg from "pg";

const sampleMs = 500;

/** The CPU time of the server processes of one PostgreSQL database. */
export interface EngineTime {
  /**
   * CPU time of the processes while the work is done, in µs. Each process is read before, after, and every 500 ms, so one that ends meanwhile loses what it used after its last reading, and one
   * that begins and ends between two readings is not seen. Connections and their parallel workers count; autovacuum and the processes that all databases share do not.
   */
  spentBy(work: () => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens the figures of a database. They are read from `/proc`: `undefined` if the server is not on this machine, or the machine has no such figures.
 *
 * @param location connection string of the database, which only the measured program uses
 * @throws {Error} if the server cannot be reached
 * @see https://docs.kernel.org/scheduler/sched-stats.html `/proc/<pid>/schedstat`
 */
export async function openEngineTime(location: string): Promise<EngineTime | undefined> {
  const database = new URL(location).pathname.slice(1);
  // Another database than the one that is measured: its process is none of those.
  const client = new pg.Client({ connectionString: process.env["POSTGRES_URL"] });
  await client.connect();
  if (!(await isOnThisMachine(client))) {
    await client.end();
    return undefined;
  }
  const clock = new BackendClock();
  const read = async () => clock.read((await client.query<Backend>(backends, [database])).rows);
  return { spentBy: (work) => spentBy(work, read), close: () => client.end() };
}

/** A process of the server. */
interface Backend {
  readonly pid: number;
  /** Numbers of processes are given again. */
  readonly startedAt: string;
}

const backends = `select pid, backend_start::text as "startedAt" from pg_stat_activity
  where datname = $1 and backend_type in ('client backend', 'parallel worker')`;

/** CPU time of processes that come and go: one that has ended keeps its last reading. */
export class BackendClock {
  readonly #microseconds = new Map<string, number>();
  readonly #timeOf: (pid: number) => number | undefined;

  /** @param timeOf CPU time of a process in µs; `undefined` if it has ended */
  constructor(timeOf: (pid: number) => number | undefined = cpuMicrosecondsOf) {
    this.#timeOf = timeOf;
  }

  /** The CPU time of all processes that were ever given, in µs, since each began. */
  read(running: readonly Backend[]): number {
    for (const { pid, startedAt } of running) {
      const time = this.#timeOf(pid);
      if (time !== undefined) this.#microseconds.set(`${pid} ${startedAt}`, time);
    }
    return [...this.#microseconds.values()].reduce((sum, time) => sum + time, 0);
  }
}

async function spentBy(work: () => Promise<unknown>, read: () => Promise<number>): Promise<number> {
  const before = await read();
  let sampled: Promise<number> = Promise.resolve(before);
  const timer = setInterval(() => {
    sampled = sampled.then(read);
    // A failure is thrown below.
    sampled.catch(() => undefined);
  }, sampleMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  await sampled;
  return (await read()) - before;
}

/** In a container a server has process numbers of its own, so the process must be the one that serves this connection: its title names the client's port. */
async function isOnThisMachine(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number; port: number | null }>("select pg_backend_pid() as pid, inet_client_port() as port");
  const [{ pid = 0, port = null } = {}] = rows;
  const title = textOf(`/proc/${pid}/cmdline`) ?? "";
  return title.includes(port === null ? "[local]" : `(${port})`) && (cpuMicrosecondsOf(pid) ?? 0) > 0;
}

/** The first figure is the time on a processor, user and system, in ns; `stat` has the same in steps of 10 ms. */
function cpuMicrosecondsOf(pid: number): number | undefined {
  const text = textOf(`/proc/${pid}/schedstat`);
  return text === undefined ? undefined : Number(text.split(" ", 1)[0]) / 1_000;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Not Linux, or the process has ended.
    return undefined;
  }
}
