import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { pgbouncerPath, postgresUrl } from "../../../tools/engines.js";
import { freePort } from "../../../tools/freePort.js";

/** A PgBouncer in front of the PostgreSQL of the tests. */
export interface PgBouncer {
  /** How to connect to it. */
  readonly url: string;
  end(): void;
}

/** How long it may take until it answers, in milliseconds. */
const maxStartMs = 30_000;

/** @param schema the search path of its connections; otherwise that of the user */
export async function startPgBouncer(mode: "session" | "transaction", schema?: string): Promise<PgBouncer> {
  const server = new URL(postgresUrl ?? "");
  const folder = mkdtempSync(join(tmpdir(), "pgbouncer-"));
  chmodSync(folder, 0o777);
  const port = await freePort();
  const password = server.password === "" ? "" : ` password=${decodeURIComponent(server.password)}`;
  const search = schema === undefined ? "" : ` connect_query='set search_path to ${schema}'`;
  const settings = [
    "[databases]",
    `tests = host=${server.hostname} port=${server.port || 5432} user=${server.username} dbname=${server.pathname.slice(1)}${password}${search}`,
    "[pgbouncer]",
    "unix_socket_dir =",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "auth_type = any",
    `pool_mode = ${mode}`,
    // Connections of the server end often, as they do in hours with the settings that it comes with.
    "server_idle_timeout = 1",
    "server_lifetime = 1",
    ...(process.getuid?.() === 0 ? ["user = nobody"] : []),
  ];
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, settings.join("\n"));
  const child = spawn(pgbouncerPath ?? "", [file], { stdio: "ignore" });
  const end = () => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `postgres://anybody@127.0.0.1:${port}/tests`;
  for (const endMs = performance.now() + maxStartMs; !(await answers(url)); await sleep(10)) {
    if (performance.now() < endMs && child.exitCode === null) continue;
    end();
    throw new Error("PgBouncer does not answer.");
  }
  return { url, end };
}

async function answers(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
