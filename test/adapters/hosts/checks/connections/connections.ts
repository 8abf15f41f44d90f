import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { keepAliveAgent, send } from "../../client.js";
import { useFixtureHost } from "../../fixtureHost.js";
import type { Host } from "../../host.js";

const head = (method: string, path: string, ...fields: readonly string[]) =>
  `${[`${method} ${path} HTTP/1.1`, "Host: x", ...fields].join("\r\n")}\r\n\r\n`;

export function connectionChecks(host: Host): void {
  const service = useFixtureHost(host);
  // A host that drains by itself gives half a second for it and closes the connection then, which a busy machine may need for something else.
  const retries = { retry: host.lingers ? 0 : 2 };

  it("reuses a connection for request after request", async () => {
    const agent = keepAliveAgent();
    const connections = new Set<number | undefined>();
    for (const body of ["one", "two", "three"]) {
      const received = await send(service.port, "/read", { method: "POST", body }, agent);
      expect(received.body.toString()).toBe(String(body.length));
      connections.add(received.connection);
    }
    agent.destroy();
    expect(connections.size).toBe(1);
  });

  it("answers pipelined requests in order", async () => {
    const connection = service.connect();
    const posts = ["a", "bb", "ccc"].map((body) => `${head("POST", "/read", `Content-Length: ${body.length}`)}${body}`);
    connection.write(`${posts.join("")}${head("GET", "/text")}${head("DELETE", "/nothing")}${head("GET", "/bytes")}`);
    const answers: string[] = [];
    for (let count = 0; count < 6; count += 1) {
      const { status, body } = await connection.readResponse();
      answers.push(`${status} ${body.length}`);
    }
    connection.destroy();
    expect(answers).toEqual(["200 1", "200 1", "200 1", "200 5", "204 0", "200 4"]);
  });

  describe.each(["/too-large", "/too-large-after-a-chunk"])("answered by %s before the body is read", (path) => {
    it.each([
      { body: "a small body", sent: "x".repeat(32 * 1024) },
      { body: "a small chunked body", sent: ["x".repeat(1024), "y".repeat(1024)] },
    ])("keeps the connection after $body", async ({ sent }) => {
      const agent = keepAliveAgent();
      const first = await send(service.port, path, { method: "POST", body: sent }, agent);
      const next = await send(service.port, "/text", {}, agent);
      agent.destroy();
      expect([first.status, next.status]).toEqual([413, 200]);
    });

    it("answers the next request after a small body on the same socket", async () => {
      const connection = service.connect();
      connection
        .write(head("POST", path, "Content-Length: 32768"))
        .write("x".repeat(32768))
        .write(head("GET", "/text"));
      const statuses = [(await connection.readResponse()).status, (await connection.readResponse()).status];
      connection.destroy();
      expect(statuses).toEqual([413, 200]);
    });

    // A WHATWG host stops reading a body that was begun, and breaks the connection.
    if (host.nodeRequests || path === "/too-large")
      it("delivers the answer to a client that sends a large body to its end first", retries, async () => {
        const connection = service.connect();
        connection.socket.pause();
        await new Promise<void>((resolve, reject) => {
          connection.write(head("POST", path, `Content-Length: ${8 * 1_048_576}`));
          connection.socket.write(new Uint8Array(8 * 1_048_576), (error) => (error ? reject(error) : resolve()));
        });
        connection.socket.resume();
        expect((await connection.readResponse()).status).toBe(413);
        connection.destroy();
      });

    it("answers a client that reads while it sends a large body, and its next request", retries, async () => {
      const agent = keepAliveAgent();
      const first = await send(service.port, path, { method: "POST", body: new Uint8Array(8 * 1_048_576) }, agent);
      const next = await send(service.port, "/text", {}, agent);
      agent.destroy();
      expect([first.status, JSON.parse(first.body.toString()).code, next.status]).toEqual([413, "PAYLOAD_TOO_LARGE", 200]);
      if (host.lingers) expect(first.headers.connection).toBe("close");
    });

    it("ends a body that would never end", async () => {
      const connection = service.connect();
      connection.write(head("POST", path, "Transfer-Encoding: chunked")).write("5\r\nhello\r\n");
      const { status } = await connection.readResponse();
      const trickle = setInterval(() => connection.write("5\r\nhello\r\n"), 50);
      await Promise.race([connection.readToEnd(), sleep(4_000).then(() => Promise.reject(new Error("The connection stayed open.")))]).finally(() => {
        clearInterval(trickle);
        connection.destroy();
      });
      expect(status).toBe(413);
    });
  });

  it.each(["/nothing", "/created"])("answers %s, which has no body, before a large one is read", retries, async (path) => {
    const agent = keepAliveAgent();
    const first = await send(service.port, path, { method: "POST", body: new Uint8Array(8 * 1_048_576) }, agent);
    const next = await send(service.port, "/text", {}, agent);
    agent.destroy();
    expect([first.status, next.status]).toEqual([path === "/nothing" ? 204 : 201, 200]);
  });

  it("lets a client that expects 100 send its body", async () => {
    const connection = service.connect();
    connection.write(head("POST", "/read", "Expect: 100-continue", "Content-Length: 5"));
    expect((await connection.readResponse()).status).toBe(100);
    connection.write("hello");
    const { status, body } = await connection.readResponse();
    connection.destroy();
    expect({ status, body }).toEqual({ status: 200, body: "5" });
  });

  it.each([
    { path: "/read", expected: "200" },
    { path: "/too-large", expected: "413" },
  ])("answers curl with $expected to a megabyte that expects 100", async ({ path, expected }) => {
    const target = `http://127.0.0.1:${service.port}${path}`;
    const curl = spawn("curl", ["-s", "-o", "-", "-w", "\n%{http_code}", "-H", "Expect: 100-continue", "--data-binary", "@-", target]);
    let output = "";
    curl.stdout.on("data", (chunk) => {
      output += chunk;
    });
    // curl stops reading its input once it has its answer.
    curl.stdin.on("error", () => undefined);
    curl.stdin.end("x".repeat(1_048_576));
    await once(curl, "close");
    expect(output.split("\n").at(-1)).toBe(expected);
  });

  it("closes when the client asks for it", async () => {
    const connection = service.connect();
    connection.write(head("GET", "/text", "Connection: close"));
    expect((await connection.readResponse()).headers.get("connection")).toBe("close");
    expect(await connection.readToEnd()).toBe("");
  });
}
