// @long

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type TestContext, test } from "vitest";

/** `npm start` in a process group of its own, as a terminal starts it. */
async function npmStart(onTestFinished: TestContext["onTestFinished"]) {
  const child = spawn("npm", ["start", "--silent"], {
    detached: true,
    env: { ...process.env, PORT: "0", LOG_LEVEL: "error", DATA_DIR: ":memory:", DATABASE_URL: "", REDIS_URL: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid = 0 } = child;
  onTestFinished(() => {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has ended, as it should.
    }
  });
  const [line] = (await once(createInterface(child.stdout as NonNullable<ChildProcess["stdout"]>), "line")) as [string];
  return { child, pid, port: Number(/:(\d+)$/.exec(line)?.[1]) };
}

/** The process that listens: npm's child, or its child's. */
function serverOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? pid : serverOf(Number(children.split(" ")[0]));
}

/** A POST that has been told to go on, and has sent a part of its body. */
async function begunPost(port: number) {
  const body = '{"name":"Ada","email":"ada@example.org"}';
  const headers = { "content-type": "application/json", "content-length": body.length, expect: "100-continue" };
  const outgoing = request({ port, host: "127.0.0.1", path: "/users", method: "POST", headers, agent: false });
  // An error before the response rejects this; the server may reset the connection after it.
  const answered = once(outgoing, "response");
  answered.catch(() => undefined);
  outgoing.on("error", () => undefined);
  outgoing.flushHeaders();
  await once(outgoing, "continue");
  outgoing.write(body.slice(0, 10));
  return {
    async finish(): Promise<number | undefined> {
      outgoing.end(body.slice(10));
      const [incoming] = await answered;
      incoming.resume();
      return incoming.statusCode;
    },
  };
}

async function isFree(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const free = await new Promise<boolean>((resolve) => socket.once("connect", () => resolve(false)).once("error", () => resolve(true)));
  socket.destroy();
  return free;
}

// Each receiver once, and both signals once and three times: each start loads the whole shop. A group gets each signal twice, from npm too.
const receivers = [
  { name: "npm", signal: "SIGTERM", times: 1, find: (pid: number) => pid },
  { name: "npm", signal: "SIGINT", times: 3, find: (pid: number) => pid },
  { name: "the process group, as Ctrl-C does", signal: "SIGINT", times: 1, find: (pid: number) => -pid },
  { name: "the process group", signal: "SIGTERM", times: 3, find: (pid: number) => -pid },
  { name: "the server itself", signal: "SIGTERM", times: 1, find: serverOf },
] as const;

test.concurrent.for(receivers)(
  "$signal to $name, $times times: requests end well, the port is free, the code is 0",
  { timeout: 120_000 },
  async ({ signal, find, times }, { expect, onTestFinished }) => {
    const { child, pid, port } = await npmStart(onTestFinished);
    const ended = once(child, "exit");
    const server = serverOf(pid);
    const post = await begunPost(port);
    const idle = connect(port, "127.0.0.1").on("error", () => undefined);
    await once(idle, "connect");
    const target = find(pid);
    for (let time = 0; time < times; time++) {
      process.kill(target, signal);
      await sleep(100);
    }
    await sleep(200);
    expect(await post.finish()).toBe(201);
    const [code] = await ended;
    idle.destroy();
    expect(code).toBe(0);
    expect(await isFree(port)).toBe(true);
    expect(() => process.kill(server, 0)).toThrow("ESRCH");
  },
);
