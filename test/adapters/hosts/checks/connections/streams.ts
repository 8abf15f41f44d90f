import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { chunkBytes, chunkOf } from "../../fixture.js";
import { allReleased, useFixtureHost } from "../../fixtureHost.js";
import type { Host } from "../../host.js";

export function streamChecks(host: Host): void {
  const service = useFixtureHost(host);

  it.each(["/stream?chunks=16", "/stream?chunks=16&sized", "/file?chunks=16&sized"])("sends the megabyte of %s whole and in order", async (path) => {
    const { headers, body } = await service.send(path);
    const expected = Buffer.concat(Array.from({ length: 16 }, (_, index) => chunkOf(index)));
    expect(body.equals(expected)).toBe(true);
    expect(headers["content-length"]).toBe(path.endsWith("sized") ? String(expected.length) : undefined);
  });

  it("sends an empty stream", async () => {
    const { status, body } = await service.send("/stream?chunks=0");
    expect({ status, length: body.length }).toEqual({ status: 200, length: 0 });
  });

  it("waits for a slow reader", async () => {
    const before = service.state.chunks;
    const connection = service.connect();
    connection.socket.pause();
    connection.write("GET /stream?chunks=1024 HTTP/1.1\r\nHost: x\r\n\r\n");
    await sleep(300);
    const produced = service.state.chunks - before;
    connection.destroy();
    // The kernel's buffers of both sides take some megabytes.
    expect(produced).toBeGreaterThan(0);
    expect(produced * chunkBytes).toBeLessThan(32 * 1_048_576);
  });

  it.each(["/stream?chunks=1024", "/file?chunks=1024"])("closes the stream of a HEAD of %s unread", async (path) => {
    const before = service.state.chunks;
    await service.send(path, { method: "HEAD" });
    await allReleased(service.state);
    expect(service.state.chunks - before).toBeLessThan(8);
  });

  describe.each(["/broken", "/broken?sized"])("%s", (path) => {
    it("is broken off where the stream fails, never ended", async () => {
      await expect(service.send(path)).rejects.toThrow(/aborted|hang up|ECONNRESET/);
      await allReleased(service.state);
    });

    it("does not harm the next request", async () => {
      await service.send(path).catch(() => undefined);
      expect((await service.send("/text")).status).toBe(200);
    });
  });
}
