import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const example = (name: string) => fileURLToPath(new URL(`../../../examples/import/${name}`, import.meta.url));

/** Starts the page and its API as a user does, on a free port. */
export async function startImportPage() {
  const child = spawn(process.execPath, ["--import", "tsx", example("main.ts")], {
    env: { ...process.env, PORT: "0", DATABASE_URL: "", REDIS_URL: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [announced] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const origin = / at (http:\S+)$/.exec(announced)?.[1];
  if (origin === undefined) throw new Error(`The page printed "${announced}".`);
  return {
    origin,
    importUsers: (file: string) => importUsers(origin, file),
    /** @returns the exit code */
    async stop(): Promise<number | null> {
      child.kill("SIGTERM");
      await once(child, "exit");
      return child.exitCode;
    },
  };
}

interface Job {
  readonly finishedAt: string | null;
  readonly links: { readonly errors?: string };
}

/** Resolves to the job when it has ended. */
async function importUsers(origin: string, file: string): Promise<Job> {
  const headers = { "content-type": "text/csv" };
  const answer = await fetch(`${origin}/api/imports?collection=users`, { method: "POST", headers, body: file });
  if (answer.status !== 202) throw new Error(`The import was answered ${answer.status}: ${await answer.text()}`);
  for (;;) {
    const job = (await (await fetch(`${origin}${answer.headers.get("location")}`)).json()) as Job;
    if (job.finishedAt !== null) return job;
    await sleep(50);
  }
}

/** Makes a file of users as a user does. */
export async function makeUsers(...args: readonly string[]) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ["--import", "tsx", example("makeUsers.ts"), ...args], {
    maxBuffer: 1e8,
  });
  return { file: stdout, said: stderr };
}
