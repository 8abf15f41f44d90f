import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { defineResource, type Service } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { onTestFinished } from "vitest";
import { z } from "zod";
import { runCommand } from "../../../adapters/cli/runCommand.js";
import type { Terminal } from "../../../adapters/cli/terminal/terminal.js";
import { type FullServiceOptions, fullService } from "../../tools/fullService.js";
import { temporaryFolder } from "../../tools/temporary.js";

const users = defineResource("users", {
  schema: z.object({ id: z.int(), name: z.string().min(1), email: z.email() }),
  generated: { id: "increment" },
  unique: ["email"],
});

/** A service of users in memory. */
export function userService(options: Partial<FullServiceOptions> = {}): Service {
  const service = fullService({ resources: [users], storage: memoryStorage(), blobs: memoryBlobs(), ...options });
  onTestFinished(() => service.close({ graceMs: 0 }));
  return service;
}

export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** A server on a port of its own, which can be killed and started again. */
export interface TestServer {
  readonly origin: string;
  /** Method and target of all requests. */
  readonly requests: string[];
  /** Ends all connections at once and listens no more. */
  kill(): Promise<void>;
  restart(): Promise<void>;
}

/** Serves a service, or whatever the listener does. */
export async function serve(what: Service | Listener): Promise<TestServer> {
  const listener = typeof what === "function" ? what : nodeHandler(what);
  const requests: string[] = [];
  let server: Server;
  const listen = async (port: number) => {
    server = createServer((incoming, outgoing) => {
      requests.push(`${incoming.method} ${incoming.url}`);
      listener(incoming, outgoing);
    }).listen(port, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  };
  const kill = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  const port = await listen(0);
  onTestFinished(kill);
  return { origin: `http://127.0.0.1:${port}`, requests, kill, restart: async () => void (await listen(port)) };
}

/** What a command did. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string | Uint8Array;
  readonly variables?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  readonly interruption?: AbortSignal;
  /** Where the package is; by default a folder that does not exist. */
  readonly packageFolder?: string;
  /** Hears of what is said while it is said. */
  readonly said?: (text: string) => void;
}

/** Runs the tool in this process. Where it would wait it waits a fiftieth of that. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const out = collect();
  const err = collect(options.said);
  const terminal: Terminal = {
    stdin: Object.assign(Readable.from(options.stdin === undefined ? [] : [Buffer.from(options.stdin)]), { isTTY: options.isTTY ?? false }),
    stdout: Object.assign(out.stream, { isTTY: options.isTTY ?? false }),
    stderr: Object.assign(err.stream, { isTTY: options.isTTY ?? false, columns: 100 }),
    variables: options.variables ?? {},
    version: "1.2.3",
    packageFolder: options.packageFolder ?? "/usr/lib/restwright",
    interruption: options.interruption ?? new AbortController().signal,
    now: () => performance.now(),
    sleep: (ms, signal) => delay(ms / 50, undefined, { signal }).catch(() => undefined),
  };
  const code = await runCommand(args, terminal);
  return { code, stdout: out.text(), stderr: err.text() };
}

function collect(said: (text: string) => void = () => {}) {
  const chunks: Buffer[] = [];
  const stream = new PassThrough();
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    said(chunk.toString());
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

/** Writes a file into a folder that is gone after the test. */
export function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

/** A CSV file of users whose addresses are different. */
export function userRows(count: number, from = 0): string {
  const rows = Array.from({ length: count }, (_, index) => `User ${from + index},user${from + index}@example.com\n`);
  return `name,email\n${rows.join("")}`;
}

/** How many users a service has. */
export async function countUsers({ origin }: TestServer): Promise<number> {
  const response = await fetch(`${origin}/users`);
  const { meta } = (await response.json()) as { readonly meta: { readonly total: number } };
  return meta.total;
}
