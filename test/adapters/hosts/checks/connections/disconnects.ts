import { once } from "node:events";
import { expect, it } from "vitest";
import { eventually } from "../../../../tools/eventually.js";
import { allReleased, useFixtureHost } from "../../fixtureHost.js";
import type { Host } from "../../host.js";

const fifty = Array.from({ length: 50 }, (_, index) => index);

export function disconnectChecks(host: Host): void {
  const service = useFixtureHost(host);

  /** Waits until the service has taken `count` more requests than are under way now. */
  const underWay = (count: number) => eventually(() => expect(service.state.handles).toBe(count));

  it("survives 50 clients that leave in the middle of their bodies, and tells the service", async () => {
    const before = service.state.aborted;
    const connections = fifty.map(() => service.connect().write("POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhello"));
    await underWay(50);
    for (const connection of connections) connection.destroy();
    await allReleased(service.state);
    expect(service.state.aborted - before).toBe(50);
  });

  it("survives 50 clients that leave in the middle of chunked bodies", async () => {
    const connections = fifty.map(() =>
      service.connect().write("POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
    );
    await underWay(50);
    for (const connection of connections) connection.destroy();
    await allReleased(service.state);
  });

  it("survives 50 clients that leave in the middle of a stream, and ends it", async () => {
    const connections = fifty.map(() => service.connect());
    await Promise.all(
      connections.map(async (connection) => {
        connection.write("GET /stream?chunks=1024 HTTP/1.1\r\nHost: x\r\n\r\n");
        await once(connection.socket, "data");
        connection.destroy();
      }),
    );
    await allReleased(service.state);
  });

  it.each([
    { request: "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n" },
    { request: "POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" },
    { request: "POST /read-then-wait HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" },
  ])("tells the service when the client leaves before the answer to $request", async ({ request }) => {
    const before = service.state.aborted;
    const connections = fifty.map(() => service.connect().write(request));
    await underWay(50);
    for (const connection of connections) connection.destroy();
    await allReleased(service.state);
    expect(service.state.aborted - before).toBe(50);
  });

  it("tells a service that asks only after the client has left", async () => {
    const before = service.state.aborted;
    const connection = service.connect().write("GET /wait-late HTTP/1.1\r\nHost: x\r\n\r\n");
    await underWay(1);
    connection.destroy();
    await allReleased(service.state);
    expect(service.state.aborted - before).toBe(1);
  });

  if (host.nodeRequests)
    it.each([
      { request: "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n" },
      { request: "POST /read-then-wait HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello" },
    ])("tells the service of every pipelined $request whose client leaves", async ({ request }) => {
      const before = service.state.aborted;
      const connection = service.connect().write(request.repeat(5));
      await underWay(5);
      connection.destroy();
      await allReleased(service.state);
      expect(service.state.aborted - before).toBe(5);
    });

  if (host.nodeRequests)
    it("closes the pipelined streams of clients that leave", async () => {
      const connections = fifty.map(() =>
        service.connect().write(["/wait", "/stream?chunks=1024"].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join("")),
      );
      await underWay(50);
      await eventually(() => expect(service.state.streams).toBe(50));
      for (const connection of connections) connection.destroy();
      await allReleased(service.state);
    });

  it.each([
    { body: "no body", fields: "" },
    { body: "a large body unread", fields: "Content-Length: 1000000\r\n" },
  ])("closes a stream whose client has left before it began, with $body", async ({ fields }) => {
    const connections = fifty.map(() => service.connect().write(`POST /late?chunks=16 HTTP/1.1\r\nHost: x\r\n${fields}\r\n`));
    await underWay(50);
    for (const connection of connections) connection.destroy();
    await allReleased(service.state);
  });

  it("survives clients that leave while an unread body is drained", async () => {
    for (const _ of fifty) {
      const connection = service.connect().write("POST /too-large HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nhello");
      await connection.readResponse();
      connection.destroy();
    }
    await allReleased(service.state);
  });

  it("answers as before after all that", async () => {
    expect((await service.echo("/echo", { method: "POST", body: "still here" })).body.text).toBe("still here");
  });
}
