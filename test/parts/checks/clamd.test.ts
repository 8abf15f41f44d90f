// @slow

import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readCheckInput, runChecks, type Verdict } from "restwright/checks";
import { type ClamdCheckOptions, clamdCheck } from "restwright/clamd";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/engines.js";
import { ClamdDaemon, eicar } from "./clamdDaemon.js";
import { FakeClamd, type FakeClamdOptions } from "./fakeClamd.js";
import { fileOf } from "./samples/fileOf.js";

const fakes: FakeClamd[] = [];
afterEach(() => {
  for (const fake of fakes.splice(0)) fake.close();
});

async function startFake(options: FakeClamdOptions = {}, path?: string): Promise<{ readonly fake: FakeClamd; readonly port: number }> {
  const fake = new FakeClamd(options);
  fakes.push(fake);
  return { fake, port: await fake.listen(path) };
}

async function scan(options: ClamdCheckOptions, bytes: Uint8Array | string = "text"): Promise<Verdict> {
  return clamdCheck(options).run(await fileOf("a.bin", bytes));
}

const unavailable = { verdict: "reject", status: 503, code: "SCAN_UNAVAILABLE", detail: "The virus scanner is not available; try again later." };

describe("A scan by clamd", () => {
  test("sends the whole file, and passes what is clean", async () => {
    const { fake, port } = await startFake();
    for (const bytes of [Buffer.alloc(0), Buffer.from("x"), Buffer.alloc(3_000_001, "abc")]) {
      expect(await scan({ port }, bytes)).toEqual({ verdict: "pass" });
      expect(fake.received.at(-1)?.equals(bytes)).toBe(true);
    }
    await clamdCheck({ port }).run(await fileOf("a.bin", Buffer.alloc(500_000, "x"), { chunkBytes: 400_000 }));
    expect(fake.received.at(-1)?.length).toBe(500_000);
  });

  test("goes over a socket of the machine, too", async () => {
    const folder = mkdtempSync(join(tmpdir(), "fake-"));
    const path = join(folder, "clamd.sock");
    await startFake({ judge: () => "stream: Win.Test FOUND" }, path);
    expect(await scan({ path })).toMatchObject({ code: "VIRUS_DETECTED" });
    rmSync(folder, { recursive: true });
  });

  test("refuses what is found, and says what that is", async () => {
    const { port } = await startFake({ judge: () => "stream: Win.Test.EICAR_HDB-1 FOUND" });
    expect(await scan({ port })).toEqual({
      verdict: "reject",
      status: 422,
      code: "VIRUS_DETECTED",
      detail: "The virus scanner found Win.Test.EICAR_HDB-1.",
      extensions: { signature: "Win.Test.EICAR_HDB-1" },
    });
  });

  test.each(["Heuristics.Encrypted.Zip", "Heuristics.Limits.Exceeded.MaxFileSize"])("that has not looked inside says so: %s", async (signature) => {
    const { port } = await startFake({ judge: () => `stream: ${signature} FOUND` });
    expect(await scan({ port })).toMatchObject({ status: 422, code: "UNSCANNABLE", extensions: { signature } });
  });

  test.each([
    "stream: Can't allocate memory ERROR",
    "stream: OK ERROR",
    "OK",
    "stream: OK\nstream: OK",
    "stream:  FOUND",
    "UNKNOWN COMMAND",
    "",
    "x".repeat(10_000),
  ])("is none where clamd answers %j", async (answer) => {
    const { port } = await startFake({ judge: () => answer });
    expect(await scan({ port })).toMatchObject(unavailable);
  });

  test.each<[string, (socket: Socket) => void]>([
    ["closes the connection at once", (socket) => socket.destroy()],
    ["closes the connection while the file is sent", (socket) => socket.once("data", () => socket.destroy())],
    ["closes the connection within its answer", (socket) => socket.once("data", () => socket.end("stream: OK"))],
    ["says that the file is clean twice", (socket) => socket.once("data", () => socket.end("stream: OK\0stream: OK\0"))],
    ["says nothing", () => {}],
  ])("is none where clamd %s", async (_what, behave) => {
    const { port } = await startFake({ behave });
    expect(await scan({ port, timeoutMs: 100 }, Buffer.alloc(4_000_000))).toMatchObject(unavailable);
  });

  test("is none where clamd says that the file is clean before it has read it", async () => {
    const { port } = await startFake({ behave: (socket) => socket.once("data", () => socket.end("stream: OK\0")) });
    // More than fits between two sockets: what the system has taken counts as sent.
    const verdict = await scan({ port, timeoutMs: 10_000 }, Buffer.alloc(100_000_000));
    expect(verdict).toMatchObject(unavailable);
  });

  test("is none where the file is too long for clamd, which says so before its end", async () => {
    const { port } = await startFake({ limitBytes: 100_000 });
    const verdict = await scan({ port }, Buffer.alloc(20_000_000));
    expect(verdict).toMatchObject(unavailable);
    expect(verdict).toMatchObject({ cause: { message: 'clamd answered "INSTREAM size limit exceeded. ERROR".' } });
    expect(await scan({ port }, Buffer.alloc(100_000))).toEqual({ verdict: "pass" });
  });

  test("is none where nobody listens", async () => {
    const { fake, port } = await startFake();
    fake.close();
    expect(await scan({ port })).toMatchObject({ ...unavailable, cause: { code: "ECONNREFUSED" } });
    expect(await scan({ path: "/nowhere/clamd.sock" })).toMatchObject({ ...unavailable, cause: { code: "ENOENT" } });
  });

  test("can be left to later where there is none now", async () => {
    expect(await scan({ path: "/nowhere/clamd.sock", whenUnavailable: "defer" })).toEqual({ verdict: "defer" });
    const { port } = await startFake({ judge: () => "stream: Found.It FOUND" });
    expect(await scan({ port, whenUnavailable: "defer" })).toMatchObject({ code: "VIRUS_DETECTED" });
  });

  test("ends with the time of all checks, and with the caller", async () => {
    const { port } = await startFake({ behave: () => {} });
    expect(await runChecks([clamdCheck({ port })], await fileOf("a.bin", "text"), { timeoutMs: 30 })).toMatchObject({ code: "SCAN_UNAVAILABLE" });
    const caller = new AbortController();
    const running = runChecks([clamdCheck({ port })], await fileOf("a.bin", "text", { signal: caller.signal }));
    caller.abort(new Error("gone"));
    await expect(running).rejects.toThrow("gone");
  });

  test("ends in time where the file itself does not come", async () => {
    const { port } = await startFake();
    let reads = 0;
    const input = await readCheckInput({
      filename: "a.bin",
      async *read() {
        reads += 1;
        yield Buffer.from("text");
        if (reads > 1) await new Promise(() => {});
      },
    });
    expect(await clamdCheck({ port, timeoutMs: 50 }).run(input)).toMatchObject(unavailable);
  });

  test("throws where the file cannot be read: that is no fault of the scanner", async () => {
    const { port, fake } = await startFake();
    let reads = 0;
    const input = await readCheckInput({
      filename: "a.bin",
      async *read() {
        reads += 1;
        yield Buffer.from("text");
        if (reads > 1) throw new Error("disk");
      },
    });
    await expect(clamdCheck({ port, whenUnavailable: "defer" }).run(input)).rejects.toThrow("disk");
    await expect(runChecks([clamdCheck({ port })], input)).rejects.toThrow("disk");
    expect(fake.received).toEqual([]);
  });
});

describe("The real clamd", needs("clamd"), () => {
  let daemon: ClamdDaemon;
  beforeAll(async () => {
    daemon = await ClamdDaemon.start();
  });
  afterAll(() => daemon.stop());

  test("finds its test file, and passes another one", async () => {
    expect(await scan(daemon.address, eicar)).toMatchObject({ code: "VIRUS_DETECTED", extensions: { signature: expect.stringMatching(/eicar/i) } });
    expect(await scan(daemon.address, Buffer.alloc(900_000, "clean"))).toEqual({ verdict: "pass" });
    if (daemon.socket !== undefined) expect(await scan(daemon.socket, eicar)).toMatchObject({ code: "VIRUS_DETECTED" });
  });

  test("passes many at once", async () => {
    const verdicts = await Promise.all(Array.from({ length: 20 }, (_, index) => scan(daemon.address, index % 2 === 0 ? eicar : "clean")));
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? "reject" : "pass")));
  });

  test("takes no more than it is told to, and then the file is not scanned", async () => {
    const limits = daemon.socket === undefined ? 200_000_000 : 2_000_000;
    expect(await scan(daemon.address, Buffer.alloc(limits))).toMatchObject(unavailable);
  });
});
