import { readFile } from "node:fs/promises";
import pg from "pg";
import type { Place } from "../tools/places.js";
import type { SqlStore } from "./collections.js";

/** The CPU time that the server processes of a database have used. */
export interface EngineTime {
  /** In µs, in steps of 10,000. */
  read(): Promise<number>;
  close(): Promise<void>;
}

/**
 * SQLite runs in this process. Those of PostgreSQL are read from `/proc`, so its server must run on this machine; elsewhere its time is left out.
 *
 * @see proc_pid_stat(5)
 */
export async function engineTimeOf(store: SqlStore, { location }: Place): Promise<EngineTime> {
  if (store === "sqlite") return { read: async () => 0, close: async () => undefined };
  const database = new URL(location).pathname.slice(1);
  const client = new pg.Client({ connectionString: process.env["POSTGRES_URL"] });
  await client.connect();
  return {
    async read() {
      const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity where datname = $1", [database]);
      let ticks = 0;
      for (const { pid } of rows) ticks += await ticksOf(pid);
      return ticks * 10_000;
    },
    close: () => client.end(),
  };
}

/** User and system time in ticks, of which Linux has 100 a second. */
async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The name of the program, in brackets, may have spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}
