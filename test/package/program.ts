import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../tools/freePort.js";

/** A program that serves HTTP on the port of its environment. */
export interface Program {
  readonly origin: string;
  /** Ends the program with SIGTERM. Returns its exit code; `null` if the signal has killed it. */
  stop(): Promise<number | null>;
}

const startMs = 60_000;
const retryMs = 50;

/**
 * Starts a program and waits until it accepts requests.
 *
 * @throws {Error} with what the program wrote, when it ends or does not answer
 */
export async function startProgram(
  folder: string,
  file: string,
  environment: Readonly<Record<string, string>> = {},
  nodeOptions: readonly string[] = [],
): Promise<Program> {
  const port = await freePort();
  const child = spawn(process.execPath, [...nodeOptions, file], { cwd: folder, env: { ...process.env, ...environment, PORT: String(port) } });
  const written: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => written.push(text));
  const origin = `http://localhost:${port}`;
  try {
    await untilAnswered(origin, child);
  } catch (cause) {
    await stop(child);
    throw new Error(`${file} does not serve: ${written.join("")}`, { cause });
  }
  return { origin, stop: () => stop(child) };
}

async function untilAnswered(origin: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + startMs;
  for (;;) {
    try {
      await (await fetch(origin)).arrayBuffer();
      return;
    } catch (error) {
      if (child.exitCode !== null || performance.now() > deadline) throw error;
      await delay(retryMs);
    }
  }
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, "exit");
  child.kill();
  await ended;
  return child.exitCode;
}
