// @slow

import { lookup as lookupOfNode } from "node:dns";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { createSecureContext } from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { guardedConnect } from "../../../../adapters/undici/guardedConnect.js";
import { guardedLookup, type Lookup } from "../../../../adapters/undici/guardedLookup.js";
import { loadUndici } from "../../../../adapters/undici/undici.js";
import { compileNetwork } from "../../../../src/capabilities/webhooks/delivery/network.js";
import { systemTimers } from "../../../../src/ground/http/timers.js";
import { fixture } from "./transportServer.js";
import { answer, ca, createTransport, eventually, network, plainPort, requestTo, serve } from "./transportSetup.js";

beforeAll(loadUndici);

describe("an address that is not public", () => {
  test.each(["127.0.0.1", "[::ffff:127.0.0.1]", "2130706433", "localhost", "hooks.test"])("is not connected to: %s", async (host) => {
    const server = await serve(answer);
    const result = await createTransport({ network: { ca } }).send(server.request(host));
    expect([result.errorCode, result.status, server.connections]).toEqual(["ADDRESS_BLOCKED", undefined, 0]);
  });

  test.each(["127.0.0.1", "[::ffff:127.0.0.1]", "localhost", "hooks.test"])("is connected to where its block is allowed: %s", async (host) => {
    const server = await serve(answer);
    const result = await createTransport().send(server.request(host));
    // The certificate names IPv4 alone.
    expect(result.errorCode ?? result.status).toBe(host.startsWith("[") ? "TLS_CERTIFICATE_INVALID" : 200);
    expect(server.connections).toBe(1);
  });

  test("is connected to where the name is allowed, for that name alone", async () => {
    const server = await serve(answer);
    const transport = createTransport({ network: { allowHosts: ["localhost"], ca } });
    expect((await transport.send(server.request("localhost"))).status).toBe(200);
    expect((await transport.send(server.request("hooks.test"))).errorCode).toBe("ADDRESS_BLOCKED");
    expect((await transport.send(server.request("127.0.0.1"))).errorCode).toBe("ADDRESS_BLOCKED");
    expect(server.connections).toBe(1);
  });

  test.each([
    ["last", ["93.184.216.34", "10.0.0.1"]],
    ["first", ["169.254.169.254", "93.184.216.34"]],
    ["of the other family", ["93.184.216.34", "::1"]],
    ["embedded", ["64:ff9b::a00:1", "2606:4700::1111"]],
    ["with a zone", ["fe80::1%eth0"]],
    ["no address at all", ["93.184.216.34", "example.com"]],
  ])("spoils the whole answer of a look-up: %s", async (_where, addresses) => {
    const result = await createTransport({ lookup: async () => addresses }).send(requestTo(443));
    expect(result.errorCode).toBe("ADDRESS_BLOCKED");
  });

  test("is not connected to when a name comes to mean it after the first delivery", async () => {
    const allowed = await serve((socket) => socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"));
    const answers = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"]];
    const transport = createTransport({ lookup: async () => answers.shift() ?? [] });
    expect((await transport.send(allowed.request())).status).toBe(200);
    expect((await transport.send(allowed.request())).errorCode).toBe("ADDRESS_BLOCKED");
    expect((await transport.send(allowed.request())).status).toBe(200);
    expect(answers).toEqual([]);
  });

  test("is looked up once a connection: what was judged is what is connected to", async () => {
    const server = await serve(answer);
    let lookups = 0;
    const transport = createTransport({
      lookup: async () => {
        lookups += 1;
        return [lookups === 1 ? "127.0.0.1" : "10.0.0.1"];
      },
    });
    expect((await transport.send(server.request())).status).toBe(200);
    expect(lookups).toBe(1);
  });

  test("is never reached without TLS", async () => {
    const port = await plainPort();
    expect((await createTransport().send({ ...requestTo(port), url: new URL(`http://hooks.test:${port}/`) })).errorCode).toBe("ADDRESS_BLOCKED");
  });
});

describe("a host that is reached without TLS", () => {
  const network = { allowHosts: ["localhost"], http: true };
  const plain = async (host: string) => {
    let connections = 0;
    const port = await plainPort((socket) => {
      connections += 1;
      socket.once("data", (chunk) =>
        socket.end(`HTTP/1.1 ${chunk.toString().startsWith("POST / HTTP/1.1") ? 200 : 400} OK\r\nContent-Length: 0\r\n\r\n`),
      );
    });
    return { request: { ...requestTo(port), url: new URL(`http://${host}:${port}/`) }, connections: () => connections };
  };

  test("is one that the developer names", async () => {
    const { request, connections } = await plain("localhost");
    expect(await createTransport({ network }).send(request)).toMatchObject({ status: 200, truncated: false });
    expect(connections()).toBe(1);
  });

  test.each<[string, object]>([
    ["hooks.test", network],
    ["127.0.0.1", network],
    ["[::1]", network],
    ["hooks.test", { ...network, allowCidrs: ["127.0.0.1/32"] }],
    ["127.0.0.1", { ...network, allowCidrs: ["127.0.0.1/32"], allowIpLiterals: true }],
    ["localhost", { allowHosts: ["localhost"] }],
  ])("is no other: %s with %j", async (host, given) => {
    const { request, connections } = await plain(host);
    expect([(await createTransport({ network: given }).send(request)).errorCode, connections()]).toEqual(["ADDRESS_BLOCKED", 0]);
  });

  test("is not followed to another host by a redirect", async () => {
    const other = await plain("hooks.test");
    const port = await plainPort((socket) =>
      socket.once("data", () => socket.end(`HTTP/1.1 307 Go\r\nLocation: ${other.request.url.href}\r\nContent-Length: 0\r\n\r\n`)),
    );
    const result = await createTransport({ network }).send({ ...requestTo(port), url: new URL(`http://localhost:${port}/`) });
    expect([result.status, other.connections()]).toEqual([307, 0]);
  });

  test("is never sent to in place of a client certificate", async () => {
    const { request, connections } = await plain("localhost");
    const clientCertificate = { cert: fixture("client.pem"), key: fixture("client.key") };
    const result = await createTransport({ network }).send({ ...request, clientCertificate });
    expect([result.errorCode, connections()]).toEqual(["CLIENT_CERTIFICATE_INVALID", 0]);
  });

  test("does not lend its connections to https", async () => {
    const { request } = await plain("localhost");
    const transport = createTransport({ network });
    expect((await transport.send(request)).status).toBe(200);
    const url = new URL(request.url.href.replace("http:", "https:"));
    expect((await transport.send({ ...request, url })).errorCode).toMatch(/^(?:TLS_FAILED|CONNECTION_)/);
  });
});

test("a connection that led elsewhere than it was judged by ends before anything is written", async () => {
  const server = await serve(answer);
  for (const [options, code] of [
    [{ ca }, "ERR_ADDRESS_BLOCKED"],
    [network, undefined],
  ] as const) {
    const connect = guardedConnect({
      network: compileNetwork(options),
      lookup: async () => ["127.0.0.1"],
      timers: systemTimers,
      connectTimeoutMs: 1_000,
      secureContext: createSecureContext({ ca }),
    });
    const socket = connectTcp(server.port, "127.0.0.1");
    await once(socket, "connect");
    const error = await new Promise<Error | null>((resolve) =>
      connect({ hostname: "8.8.8.8", protocol: "https:", port: "443", servername: "hooks.test", httpSocket: socket }, (fault, made) => {
        made?.destroy();
        resolve(fault);
      }),
    );
    expect(error && "code" in error ? error.code : undefined).toBe(code);
    await eventually(() => socket.destroyed);
  }
});

describe("a look-up", () => {
  test("gives all addresses or the first, as the socket asks", async () => {
    const lookup = guardedLookup(async () => ["2606:4700::1111", "8.8.8.8"], compileNetwork());
    const ask = (options: { all?: boolean }) => new Promise((resolve) => lookup("a.com", options, (...answer) => resolve(answer)));
    expect(await ask({ all: true })).toEqual([
      null,
      [
        { address: "2606:4700::1111", family: 6 },
        { address: "8.8.8.8", family: 4 },
      ],
    ]);
    expect(await ask({})).toEqual([null, "2606:4700::1111", 6]);
  });

  test.each<[what: string, lookup: Lookup]>([
    ["rejects", async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" }))],
    ["rejects with what is no error", async () => Promise.reject("no")],
    [
      "throws",
      () => {
        throw new Error("no");
      },
    ],
    ["finds nothing", async () => []],
  ])("that %s ends as DNS_FAILED", async (_what, lookup) => {
    expect((await createTransport({ lookup }).send(requestTo(443))).errorCode).toBe("DNS_FAILED");
  });

  test("of the operating system is used unless another is given", async () => {
    const addresses = await new Promise<string[]>((resolve) =>
      lookupOfNode("localhost", { all: true }, (_error, all) => resolve(all.map(({ address }) => address))),
    );
    const server = await serve(answer);
    const transport = createTransport({ lookup: undefined, network: { allowCidrs: addresses, ca } });
    expect((await transport.send(server.request("localhost"))).status).toBe(200);
  });
});
