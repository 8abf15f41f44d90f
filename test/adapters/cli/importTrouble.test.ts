// @slow

import { existsSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { nodeHandler } from "restwright/node";
import { describe, expect, test } from "vitest";
import { countUsers, fileOf, type Listener, type RunOptions, run, serve, type TestServer, userRows, userService } from "./stage.js";

/** A server that does something else before it answers its first requests as the service does. */
async function troubled(first: (server: TestServer, ...exchange: Parameters<Listener>) => void, method: "GET" | "POST", times = 1) {
  const service = nodeHandler(userService());
  let left = times;
  const server: TestServer = await serve((incoming, outgoing) => {
    if (incoming.method === method && left-- > 0) first(server, incoming, outgoing);
    else service(incoming, outgoing);
  });
  return server;
}

/** If the port has been taken meanwhile, the command finds no server and its test fails. */
function killAndRestart(server: TestServer): void {
  const restarted = async () => {
    await server.kill();
    await delay(60);
    await server.restart();
  };
  restarted().catch(() => undefined);
}

/** Presses Ctrl-C when the import has an address. */
function impatient(): RunOptions {
  const controller = new AbortController();
  return { interruption: controller.signal, said: (text) => text.includes("Import: ") && controller.abort() };
}

describe("an import in trouble", () => {
  test("ends after ten seconds where nothing listens, and waits for two minutes with --wait", async () => {
    const server = await serve(userService());
    await server.kill();
    const args = ["import", fileOf("users.csv", userRows(3)), "--to", `${server.origin}/imports`];
    const waits = (stderr: string) => stderr.split("Retrying in").length - 1;
    const [refused, waited] = await Promise.all([run(args), run([...args, "--wait"])]);
    expect([refused.code, waited.code]).toEqual([1, 1]);
    expect(refused.stderr).toMatch(/No response from \S+: ECONNREFUSED\.\nTo wait for a server that is starting: --wait\n$/);
    expect(waits(refused.stderr)).toBeLessThanOrEqual(5);
    expect(waits(waited.stderr)).toBeGreaterThan(8);
  });

  test("goes on with a server that comes up while it waits", async () => {
    const server = await serve(userService());
    await server.kill();
    const said = (text: string) => void (text.includes("Retrying in") && server.restart().catch(() => undefined));
    const { code } = await run(["import", fileOf("users.csv", userRows(3)), "--to", `${server.origin}/imports`], { said });
    expect([code, await countUsers(server)]).toEqual([0, 3]);
  });

  test("is not begun where its report could not be written", async () => {
    const server = await serve(userService());
    const file = fileOf("users.csv", userRows(3));
    const { code, stderr } = await run(["import", file, "--to", `${server.origin}/imports`, "--errors", `${file}.d/errors.csv`]);
    expect([code, server.requests]).toEqual([1, []]);
    expect(stderr).toBe(`--errors ${file}.d/errors.csv: the folder ${file}.d does not exist.\n`);
  });

  test("is sent again when the server is killed while the file comes", async () => {
    const server = await troubled((it, incoming) => incoming.once("data", () => killAndRestart(it)), "POST");
    const { code, stderr } = await run(["import", fileOf("users.csv", userRows(8_000)), "--to", `${server.origin}/imports`]);
    expect(stderr).toMatch(/^No response from \S+: (?:ECONNRESET|EPIPE)\.\nRetrying in \d+ s\.\n/);
    expect([code, await countUsers(server)]).toEqual([0, 8_000]);
  });

  test("is made once where the answer was lost, and not the file", async () => {
    const service = nodeHandler(userService());
    let isFirst = true;
    const server = await serve((incoming, outgoing) => {
      if (isFirst) outgoing.writeHead = () => outgoing.destroy();
      isFirst = false;
      service(incoming, outgoing);
    });
    const { code, stderr } = await run(["import", fileOf("users.csv", userRows(3)), "--to", `${server.origin}/imports`]);
    expect([code, await countUsers(server)]).toEqual([0, 3]);
    expect(stderr).toContain("Imported");
    expect(stderr).not.toContain("before");
  });

  test("waits as long as a busy server says", async () => {
    const problem = { status: 429, code: "TOO_MANY_JOBS", title: "Too Many Requests", detail: "20 jobs wait already." };
    const busy: Parameters<typeof troubled>[0] = (_, incoming, outgoing) =>
      incoming.resume().on("end", () => outgoing.writeHead(429, { "retry-after": "7" }).end(JSON.stringify(problem)));
    const server = await troubled(busy, "POST", 2);
    const { code, stderr } = await run(["import", fileOf("users.csv", userRows(3)), "--to", `${server.origin}/imports`]);
    expect(stderr.split("Retrying in 7 s.")).toHaveLength(3);
    expect(stderr).toContain("429 Too Many Requests (TOO_MANY_JOBS): 20 jobs wait already.");
    expect(code).toBe(0);
  });

  test("ends where the server wants to be left alone for long", async () => {
    const server = await troubled(
      (_, incoming, outgoing) => incoming.resume().on("end", () => outgoing.writeHead(503, { "retry-after": "900" }).end()),
      "POST",
    );
    const { code, stderr } = await run(["import", fileOf("users.csv", userRows(3)), "--to", `${server.origin}/imports`]);
    expect([code, stderr]).toEqual([1, `${server.origin}/imports?collection=users answers 503 Service Unavailable.\n`]);
  });

  test("is followed across the death of the server", async () => {
    const server = await troubled((it) => killAndRestart(it), "GET");
    const { code, stderr } = await run(["import", fileOf("users.csv", userRows(3)), "--to", `${server.origin}/imports`]);
    expect(stderr).toContain("Retrying");
    expect(code).toBe(0);
  });

  test("is not lost where the server stays away", async () => {
    const server = await troubled((_, __, outgoing) => outgoing.writeHead(503, { "retry-after": "900" }).end(), "GET");
    const { code, stderr } = await run(["import", fileOf("users.csv", userRows(3)), "--to", `${server.origin}/imports`]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/ answers 503 Service Unavailable\.\nTo follow the import again: restwright import \S+ --to \S+ --resume\n$/);
  });

  test("goes on where it ended, with the file that was sent, by its own name or by its address", async () => {
    const server = await serve(userService());
    const file = fileOf("users.csv", userRows(3_000).replace("\n", "\nnobody,nowhere\nnobody,nowhere\n"));
    const args = ["import", file, "--to", `${server.origin}/imports`];
    const failed = await run([...args, "--max-errors", "1"]);
    const { job } = JSON.parse(readFileSync(`${file}.import.json`, "utf8"));
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/failed: TOO_MANY_ERRORS at row [\d,]+\./);
    expect(failed.stderr).toContain(
      `\nTo resume with the same file: restwright import ${file} --to ${server.origin}/imports --resume\nTo continue with a corrected file: --offset `,
    );
    const resumed = [await run([...args, "--resume"])];
    while (resumed.at(-1)?.code === 1) resumed.push(await run(["import", job, "--resume", "--errors", `${file}.errors.csv`]));
    expect(resumed.map(({ stderr }) => stderr.startsWith("The import was resumed.\n"))).not.toContain(false);
    expect(resumed.at(-1)?.stderr).toContain("3,000 created, 2 failed.");
    expect(resumed.at(-1)?.code).toBe(2);
  });

  test("goes on without a user who has enough of it, and is found again", async () => {
    const storage = memoryStorage();
    const blobs = memoryBlobs();
    const server = await serve(userService({ storage, blobs, jobs: { work: false } }));
    const file = fileOf("users.csv", userRows(3));
    const args = ["import", file, "--to", `${server.origin}/imports`];
    const { code, stderr } = await run(args, impatient());
    const { job } = JSON.parse(readFileSync(`${file}.import.json`, "utf8"));
    expect(code).toBe(130);
    expect(stderr).toContain(
      `\nDetached; the import continues: ${job}\nTo follow it again: restwright import ${file} --to ${server.origin}/imports --resume\n`,
    );
    const worker = userService({ storage, blobs });
    await worker.start();
    const again = await run(args);
    expect([again.code, existsSync(`${file}.import.json`)]).toEqual([0, false]);
    expect(again.stderr).toContain(`This file was sent before; following its import: ${job}\n`);
    expect(server.requests.filter((request) => request.startsWith("POST"))).toHaveLength(1);
    expect((await run(["import", job])).code).toBe(0);
  });

  test("is cancelled by Ctrl-C where the user wants that", async () => {
    const server = await serve(userService({ jobs: { work: false } }));
    const { code, stderr } = await run(
      ["import", fileOf("users.csv", userRows(3)), "--to", `${server.origin}/imports`, "--cancel-on-interrupt"],
      impatient(),
    );
    expect(code).toBe(130);
    expect(stderr).toMatch(/\nCancelling\.\nThe import of \S+ failed: CANCELLED/);
  });

  test("is forgotten where it is not there any more", async () => {
    const server = await serve(userService({ jobs: { work: false } }));
    const file = fileOf("users.csv", userRows(3));
    const args = ["import", file, "--to", `${server.origin}/imports`];
    await run(args, impatient());
    const { job } = JSON.parse(readFileSync(`${file}.import.json`, "utf8"));
    await fetch(job, { method: "DELETE" });
    await fetch(job, { method: "DELETE" });
    const { code, stderr } = await run([...args, "--resume"]);
    expect([code, existsSync(`${file}.import.json`)]).toEqual([1, false]);
    expect(stderr).toMatch(/^404 .*\n.*--idempotency-key new\n$/);
  });

  test("does not take a record for its own that leads elsewhere", async () => {
    const server = await serve(userService({ jobs: { work: false } }));
    const file = fileOf("users.csv", userRows(3));
    await run(["import", file, "--to", `${server.origin}/imports`], impatient());
    const { code, stderr } = await run(["import", file, "--to", "http://127.0.0.1:1/imports", "--resume"]);
    expect(code).toBe(1);
    expect(stderr).toContain("which is on another host than --to");
  });
});
