// @slow

import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { Attempt } from "../../../../adapters/undici/attempt.js";
import { Connections } from "../../../../adapters/undici/connections.js";
import { guardedConnect } from "../../../../adapters/undici/guardedConnect.js";
import { loadUndici } from "../../../../adapters/undici/undici.js";
import { undiciTransport } from "../../../../adapters/undici/undiciTransport.js";
import { compileNetwork } from "../../../../src/capabilities/webhooks/delivery/network.js";
import { systemTimers } from "../../../../src/ground/http/timers.js";
import { ConfigurationError } from "../../../../src/ground/problem/index.js";
import { FakeClock } from "../../../../src/testing/clock.js";
import { startServer } from "./transportServer.js";
import { answer, createTransport, eventually, network, ok, plainPort, requestTo, serve } from "./transportSetup.js";

beforeAll(loadUndici);

describe("a transport", () => {
  test("refuses authorities that it cannot read at start-up", () => {
    expect(() => undiciTransport({ network: { ca: "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----" } })).toThrow(ConfigurationError);
  });

  test("keeps the times of its timers: connection, head, body", async () => {
    const clock = new FakeClock();
    const options = { timers: clock, monotonicMs: () => clock.now(), connectTimeoutMs: undefined, headTimeoutMs: undefined, bodyMs: undefined };
    const server = await serve((socket, _request, count) => count === 2 && socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok"));
    const transport = createTransport(options);

    const connecting = transport.send(requestTo(await plainPort()));
    await eventually(() => clock.pending === 2);
    clock.advance(4_999);
    expect(clock.pending).toBe(2);
    clock.advance(1);
    expect(await connecting).toMatchObject({ errorCode: "CONNECT_TIMEOUT", latencyMs: 5_000 });

    const hanging = transport.send(server.request());
    await eventually(() => server.requests.length === 1);
    clock.advance(29_999);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    expect(await hanging).toMatchObject({ errorCode: "TIMEOUT", latencyMs: 30_000 });
    expect(clock.pending).toBe(0);
  });

  test("lets an attempt go when its signal says so, before, during and after", async () => {
    const server = await serve((_socket) => undefined);
    const transport = createTransport();
    expect((await transport.send(server.request("hooks.test", { signal: AbortSignal.abort() }))).errorCode).toBe("ABORTED");
    expect(server.connections).toBe(0);

    const controller = new AbortController();
    const pending = transport.send(server.request("hooks.test", { signal: controller.signal }));
    await eventually(() => server.requests.length === 1);
    controller.abort();
    expect((await pending).errorCode).toBe("ABORTED");
    await eventually(() => server.ended === 1);

    const answering = await serve(answer);
    const late = new AbortController();
    expect((await transport.send(answering.request("hooks.test", { signal: late.signal }))).status).toBe(200);
    late.abort();
    await sleep(1);
    expect((await transport.send(answering.request())).status).toBe(200);
    expect(answering.connections).toBe(1);
  });

  test("ends what is under way when it is closed, and takes no more", async () => {
    const server = await serve((socket, request) => request.includes("answer") && socket.write(ok));
    const silent = await plainPort();
    const transport = createTransport();
    await transport.send(server.request("hooks.test", { headers: { x: "answer" } }));
    const pending = [transport.send(server.request()), transport.send(server.request()), transport.send(requestTo(silent))];
    await eventually(() => server.requests.length === 3);
    await transport.close();
    expect((await Promise.all(pending)).map(({ errorCode }) => errorCode)).toEqual(["ABORTED", "ABORTED", "ABORTED"]);
    expect((await transport.send(server.request())).errorCode).toBe("ABORTED");
    await transport.close();
    await eventually(() => server.ended === server.connections);
  });

  test.each(["HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"])(
    "forgets a connection that has ended while it was idle: %j",
    async (head) => {
      const server = await serve((socket) => socket.write(head));
      const options = { network: compileNetwork(network), lookup: async () => ["127.0.0.1"], timers: systemTimers, connectTimeoutMs: 60_000 };
      const connector = () => guardedConnect({ ...options, secureContext: createSecureContext({ ca: network.ca }) });
      const connections = new Connections({ connector, keepAliveMs: 20 });
      const { origin } = server.request().url;

      const first = connections.take(origin, undefined);
      const attempt = new Attempt({ timers: systemTimers, monotonicMs: () => 0, headTimeoutMs: 60_000, bodyMs: 60_000 });
      first.client.dispatch({ path: "/", method: "POST", body: "{}" }, attempt);
      expect((await attempt.result).status).toBe(204);
      connections.giveBack(first);
      await eventually(() => first.client.destroyed);
      const second = connections.take(origin, undefined);
      expect(second).not.toBe(first);
      await connections.close();
      connections.giveBack(second);
      const third = connections.take(origin, undefined);
      expect(third).not.toBe(second);
      await connections.discard(third);
    },
  );

  test("leaves no handle behind", async () => {
    const handles = () => process.getActiveResourcesInfo().filter((name) => /TCP|TLS|Timeout|GetAddrInfo/.test(name)).length;
    const server = await startServer((socket, request) => {
      if (request.includes("answer")) socket.write(ok);
      if (request.includes("reset")) socket.destroy();
    });
    await sleep(50);
    const before = handles();
    const transport = undiciTransport({ network, lookup: async () => ["127.0.0.1"], headTimeoutMs: 60_000 });
    const kinds = ["answer", "reset", "hang", "answer", "hang", "reset"];
    const pending = kinds.map((x) => transport.send(server.request("hooks.test", { headers: { x } })));
    await eventually(() => server.requests.length === kinds.length);
    expect(handles()).toBeGreaterThan(before);
    await transport.close();
    await Promise.all(pending);
    await eventually(() => server.ended === server.connections && handles() <= before);
    await server.close();
  });

  test("keeps no process alive once its attempts have ended", async () => {
    const server = await serve(answer);
    const program = `
      import { undiciTransport } from ${JSON.stringify(new URL("../../../../adapters/undici/undiciTransport.ts", import.meta.url).href)};
      const transport = undiciTransport({ network: ${JSON.stringify(network)}, lookup: async () => ["127.0.0.1"], keepAliveMs: 300_000 });
      const result = await transport.send({ url: new URL("${server.request().url.href}"), headers: {}, body: Buffer.from("{}") });
      console.log(result.status);`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    let printedMs = 0;
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
      printedMs = performance.now();
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, output.trim()]).toEqual([0, "200"]);
    // The connection would be kept for five minutes.
    expect(performance.now() - printedMs).toBeLessThan(30_000);
  });
});
