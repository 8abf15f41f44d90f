import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { compiledProgram } from "../../tools/compiled/program.js";

const main = "examples/shop/main.ts";

/** The hosts that the shop runs on. */
export const hosts = ["express", "fastify", "hono", "koa"] as const;
export type Host = (typeof hosts)[number];

export interface ShopProcess {
  /** With the base path, e.g. `http://127.0.0.1:41234/v1`. */
  readonly origin: string;
  /** The line that the shop printed when it listened. */
  readonly announced: string;
  /** Sends a signal and waits for the end; resolves to the exit code, or null after SIGKILL. */
  stop(signal: NodeJS.Signals): Promise<number | null>;
  /** Stops it for a while, as a machine does that is short of everything, and lets it go on as if nothing had been. */
  pause(ms: number): Promise<void>;
}

/** Starts the shop in a process of its own on a free port. */
export async function startShop(host: Host, environment: Readonly<Record<string, string>>): Promise<ShopProcess> {
  const child = spawn(process.execPath, [await compiledProgram(main), "--host", host], {
    env: { ...process.env, PORT: "0", LOG_LEVEL: "error", DATABASE_URL: "", REDIS_URL: "", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const stderr: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => stderr.push(text));
  const announced = await firstLine(child, stderr);
  const origin = / at (http:\S+)$/.exec(announced)?.[1];
  if (origin === undefined) throw new Error(`The shop printed "${announced}".`);
  return {
    origin: origin + (environment["BASE_PATH"] ?? ""),
    announced,
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      await once(child, "exit");
      return child.exitCode;
    },
    async pause(ms) {
      child.kill("SIGSTOP");
      await sleep(ms);
      child.kill("SIGCONT");
    },
  };
}

/** Starts the shop where it must not start: resolves to its exit code and what it said. */
export async function failToStartShop(environment: Readonly<Record<string, string>>, args: readonly string[] = []) {
  const child = spawn(process.execPath, [await compiledProgram(main), ...args], {
    env: { ...process.env, PORT: "0", LOG_LEVEL: "error", DATABASE_URL: "", REDIS_URL: "", ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  await once(child, "close");
  return { code: child.exitCode, stderr };
}

async function firstLine(child: ChildProcess, stderr: readonly string[]): Promise<string> {
  if (child.stdout === null) throw new Error("The shop has no standard output.");
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The shop ended with ${String(code)}: ${stderr.join("")}`);
  });
  const [line] = (await Promise.race([once(lines, "line"), ended])) as [string];
  ended.catch(() => {});
  return line;
}
