import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { memoryStorage } from "../../../../../adapters/memory.js";
import { fillLines, type Iterations, lines, rowsOf, watchedStorage } from "../../../../capabilities/transfer/export/exportStage.js";
import { needs } from "../../../../tools/engines.js";
import { eventually } from "../../../../tools/eventually.js";
import { fullService } from "../../../../tools/fullService.js";
import { send } from "../../client.js";
import type { Host, RunningHost } from "../../host.js";
import { RawConnection } from "../../rawConnection.js";

const rows = 50_000;

/** `CURLE_RECV_ERROR` */
const receiveFailed = 56;

/** What every host must make of an answer that is written while it is read. */
export function exportChecks(host: Host): void {
  const state: Iterations = { open: 0, batches: 0 };
  const storage = memoryStorage();
  const service = fullService({ resources: [lines], storage: watchedStorage(storage, state) });
  let running: RunningHost;

  beforeAll(async () => {
    await service.start();
    await fillLines(storage, rows);
    running = await host.start(service.handle, { mount: "" });
  });
  beforeEach(() => {
    Object.assign(state, { batches: 0, failAt: undefined, hold: undefined });
  });
  afterAll(async () => {
    await running.close();
    await service.close({ graceMs: 1_000 });
  });
  const released = () => eventually(() => expect(state.open).toBe(0));

  it("sends an export whole, in chunks", async () => {
    const { status, headers, body } = await send(running.port, "/lines/export?format=ndjson");
    expect([status, headers["transfer-encoding"], headers["content-length"]]).toEqual([200, "chunked", undefined]);
    expect(headers["content-disposition"]).toBe('attachment; filename="lines.ndjson"');
    expect(rowsOf(body.toString())).toHaveLength(rows);
  });

  it("breaks off an export that fails on its way, never ends it", async () => {
    state.failAt = 30;
    await expect(send(running.port, "/lines/export?format=ndjson")).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    await released();
    state.failAt = undefined;
    expect((await send(running.port, "/lines?perPage=1")).status).toBe(200);
  });

  it("sends an export over HTTP/1.0 whole, and ends it with the connection", needs("curl"), async () => {
    const { head, body, exitCode } = await readOverHttp10(running.port);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).not.toMatch(/content-length|transfer-encoding/i);
    expect([rowsOf(body).length, exitCode]).toEqual([rows, 0]);
  });

  it("resets the connection of an export over HTTP/1.0 that fails on its way: its end would be that of the rows", needs("curl"), async () => {
    state.failAt = 30;
    const { head, exitCode } = await readOverHttp10(running.port);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(exitCode).toBe(receiveFailed);
    await released();
    state.failAt = undefined;
    expect((await send(running.port, "/lines?perPage=1")).status).toBe(200);
  });

  it("answers an export that fails before it begins with a problem", async () => {
    state.failAt = 1;
    const { status, headers } = await send(running.port, "/lines/export?format=ndjson");
    expect([status, headers["content-type"], headers["content-disposition"]]).toEqual([500, "application/problem+json", undefined]);
  });

  it("answers HEAD of an export with its headers alone", async () => {
    const { status, headers, body } = await send(running.port, "/lines/export", { method: "HEAD" });
    expect([status, headers["content-type"], body.length, state.batches]).toEqual([200, "text/csv; charset=utf-8", 0, 0]);
  });

  it("lets go of the store where the client goes", async () => {
    let goOn: () => void = () => {};
    state.hold = new Promise((resolve) => {
      goOn = resolve;
    });
    const connection = new RawConnection(running.port);
    connection.write("GET /lines/export?format=ndjson HTTP/1.1\r\nHost: x\r\n\r\n");
    await eventually(() => expect(state).toMatchObject({ open: 1, batches: 5 }));
    connection.destroy();
    // The host hears of it in a turn of its own.
    await new Promise((resolve) => setTimeout(resolve, 50));
    goOn();
    await released();
    expect(state.batches).toBeLessThan(rows / 1_000);
  });
}

const run = promisify(execFile);

/** What curl gets over HTTP/1.0, and its exit code. Node's own sockets may report a reset that comes with data as an end. */
async function readOverHttp10(port: number): Promise<{ readonly head: string; readonly body: string; readonly exitCode: number }> {
  const args = ["-sSi", "--http1.0", `http://127.0.0.1:${port}/lines/export?format=ndjson`];
  const { stdout, code } = await run("curl", args, { maxBuffer: 100_000_000 }).then(
    (done) => ({ stdout: done.stdout, code: 0 }),
    (failed: { readonly stdout: string; readonly code: number }) => failed,
  );
  const [head = "", ...rest] = stdout.split("\r\n\r\n");
  return { head, body: rest.join("\r\n\r\n"), exitCode: code };
}
