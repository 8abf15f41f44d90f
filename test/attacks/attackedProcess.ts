import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compiledProgram } from "../tools/compiled/program.js";
import type { AttackAnswer, AttackedStore, Attacker, AttackRequest } from "./attack.js";
import type { Hold } from "./holdMeter.js";

/** A process that serves on an empty store and measures its event loop. */
export interface AttackedProcess extends Attacker {
  /** The longest hold of its event loop while `work` goes on. */
  measure(work: () => Promise<void>): Promise<Hold>;
  /** Holds its event loop on purpose for so many milliseconds. */
  hold(ms: number): Promise<void>;
  end(): Promise<void>;
}

export async function startAttackedProcess(store: AttackedStore): Promise<AttackedProcess> {
  const folder = mkdtempSync(join(tmpdir(), "attacked-"));
  const { SQLITE_PATH: _, ...inherited } = process.env;
  const env = { ...inherited, BLOBS_PATH: join(folder, "blobs"), ...(store === "SQLite" ? { SQLITE_PATH: join(folder, "attacked.db") } : {}) };
  const child = spawn(process.execPath, [await compiledProgram("test/attacks/attackWorker.ts")], { env, stdio: ["ignore", "pipe", "inherit"] });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const [port] = (await Promise.race([once(createInterface(child.stdout), "line"), once(child, "exit")])) as [unknown];
  if (typeof port !== "string") throw new Error("The attacked process ended before it listened.");
  const origin = `http://127.0.0.1:${port}`;
  const control = async (path: string) => (await fetch(`${origin}/-/${path}`)).json();
  return {
    store,
    send: (method, path, request) => send(origin, method, path, request),
    async measure(work) {
      await control("start");
      await work();
      return (await control("stop")) as Hold;
    },
    async hold(ms) {
      await control(`hold?${ms}`);
    },
    async end() {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      kill();
      await ended;
      process.off("exit", kill);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function send(
  origin: string,
  method: string,
  path: string,
  { headers, body, type = "application/json" }: AttackRequest = {},
): Promise<AttackAnswer> {
  const answer = await fetch(origin + path, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": type }), ...headers },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes, json: () => JSON.parse(Buffer.from(bytes).toString()) };
}
